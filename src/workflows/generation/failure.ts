import { ApplicationFailure } from '@temporalio/workflow';
import type { FieldError } from '../../api/field-error.ts';
import type { FailureDetails, OwnFailureType } from '../../contract/generation.ts';
import type { GenerationRun } from './run.ts';

/**
 * Ends the generation as failed: `type` is the API's code or one of ours, the first detail tells what was tried
 * and what it cost. Not retryable: a policy, not Temporal, decides about another purchase.
 */
export function generationFailure(
  run: GenerationRun,
  type: OwnFailureType | (string & {}),
  message: string,
  errors?: FieldError[],
): ApplicationFailure {
  const details: FailureDetails = {
    attempts: run.attempts,
    usage: run.usage(),
    ...(errors === undefined ? {} : { errors }),
  };
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [details] });
}
