import { isDeepStrictEqual } from 'node:util';
import type { GenerationRequest } from '../workflows/contract.ts';

/** A step of a pipeline as the generation that it would be. */
export interface StepToFind {
  workflowId: string;
  model: string;
  input: Record<string, unknown>;
}

export function isSameStep(request: GenerationRequest, step: Pick<StepToFind, 'model' | 'input'>): boolean {
  return request.model === step.model && isDeepStrictEqual(request.input, step.input);
}
