import { ApplicationFailure } from '@temporalio/workflow';
import type { FieldError } from '../../api/input/field-error.ts';
import type { Usage } from '../../api/records/usage.ts';
import type { OwnFailureType } from '../../contract/failures/failures.ts';
import type { FailureDetails } from '../../contract/generation.ts';
import type { GenerationRun } from './run.ts';

/** Ends a generation without a result: thrown by its steps, with the API's code or one of ours as type. */
export class GenerationEnd extends Error {
  override readonly name = 'GenerationEnd';
  readonly type: OwnFailureType | (string & {});
  readonly errors: FieldError[] | undefined;

  constructor(type: OwnFailureType | (string & {}), message: string, errors?: FieldError[]) {
    super(message);
    this.type = type;
    this.errors = errors;
  }
}

/**
 * The failure of the workflow: the first detail tells what was tried and what it cost. Not retryable: a policy, not
 * Temporal, decides about another purchase.
 */
export function toFailure(
  { type, message, errors }: GenerationEnd,
  run: GenerationRun,
  charged: Usage,
): ApplicationFailure {
  const details: FailureDetails = {
    attempts: run.attempts,
    usage: run.usage(),
    charged,
    ...(errors === undefined ? {} : { errors }),
  };
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [details] });
}
