import type { FieldError } from '../../api/input/field-error.ts';
import { firstError } from '../../api/input/mistakes.ts';
import { NO_USAGE } from '../../api/records/usage.ts';
import type { FailureDetails } from '../../contract/generation.ts';

/** A request that the workflow would refuse, refused before anything is started; exit code 2. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly details: FailureDetails;

  constructor(errors: FieldError[]) {
    super(firstError(errors));
    this.details = { attempts: [], usage: NO_USAGE, charged: NO_USAGE, errors };
  }
}
