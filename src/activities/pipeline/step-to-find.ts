import { isDeepStrictEqual } from 'node:util';
import type { StepToFind } from '../../contract/activities.ts';
import type { GenerationRequest } from '../../contract/generation.ts';

/** @param request undefined: of a run that was started without one */
export function isSameStep(
  request: GenerationRequest | undefined,
  step: Pick<StepToFind, 'model' | 'input'>,
): boolean {
  return request?.model === step.model && isDeepStrictEqual(request.input, step.input);
}
