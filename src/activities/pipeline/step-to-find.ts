import { isDeepStrictEqual } from 'node:util';
import type { StepToFind } from '../../contract/activities.ts';
import type { GenerationRequest } from '../../contract/generation.ts';

export function isSameStep(request: GenerationRequest, step: Pick<StepToFind, 'model' | 'input'>): boolean {
  return request.model === step.model && isDeepStrictEqual(request.input, step.input);
}
