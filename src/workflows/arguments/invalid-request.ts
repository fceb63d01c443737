import { ApplicationFailure } from '@temporalio/common';
import type { FieldError } from '../../api/input/field-error.ts';
import { firstError } from '../../api/input/mistakes.ts';
import { NO_USAGE } from '../../api/records/usage.ts';
import type { FailureDetails } from '../../contract/generation.ts';

/** A workflow that was refused before anything was bought. */
export function invalidRequest(errors: FieldError[]): ApplicationFailure {
  const details: FailureDetails = { attempts: [], usage: NO_USAGE, charged: NO_USAGE, errors };
  return ApplicationFailure.create({
    type: 'INVALID_REQUEST',
    message: firstError(errors),
    nonRetryable: true,
    details: [details],
  });
}
