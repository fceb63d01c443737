import { ApplicationFailure } from '@temporalio/common';
import type { SubmitOutcome } from '../../api/client/submit-outcome.ts';
import { type GenerationCode, PREFIXED_CODES } from '../../api/codes.ts';
import { ERROR_PREFIX, type Family } from '../../api/family.ts';
import type { FieldError } from '../../api/input/field-error.ts';
import { firstError } from '../../api/input/mistakes.ts';
import type { WhyNothing } from '../../contract/generation.ts';
import type { RejectionDetails } from '../../contract/tasks/submit-task.ts';
import { nextStep } from '../../policy/next-step.ts';
import type { Policy } from '../../policy/policy.ts';

/** The type of what a worker cannot do whose configuration lacks the workspace or model. */
export const NOT_CONFIGURED = 'NOT_CONFIGURED';

type Rejection = Extract<SubmitOutcome, { kind: 'rejected' }>;

/** How a submit was refused so far, by the policy's row; carried from attempt to attempt by its heartbeat. */
export type Refusals = Partial<Record<GenerationCode, { count: number; waited: number }>>;

/**
 * The one place where an API rejection becomes a Temporal failure. Its type is the API's code; where the policy
 * retries it in place it carries the delay that Temporal is to wait, until the row's window is used up. What
 * counts are refused POSTs and the waits that followed them: not the attempts, nor the time in the task queue,
 * where a submit may wait long for a slowed workspace without having been refused at all.
 *
 * @param refusals those before this one; brought up to date
 * @param took milliseconds of the POST
 */
export function rejectionToFailure(
  rejection: Rejection,
  family: Family,
  retries: Policy['retries'],
  refusals: Refusals,
  took: number,
  available?: number,
): ApplicationFailure {
  const type = codeWithPrefix(rejection.code, family);
  const details: RejectionDetails = {
    code: type,
    message: rejection.message,
    ...(rejection.errors === undefined ? {} : { errors: rejection.errors }),
    ...(available === undefined ? {} : { available }),
  };
  const failure = { type, message: rejection.message, details: [details] };
  const { row, retryAfter } = rejection;
  if (row === undefined) return ApplicationFailure.create({ ...failure, nonRetryable: true });
  const before = refusals[row] ?? { count: 0, waited: 0 };
  const refused = { count: before.count + 1, waited: before.waited + took };
  const next = nextStep({ column: 'submit', code: row, ...refused, retryAfter }, { retries }, Math.random);
  if (next.kind !== 'retry') return ApplicationFailure.create({ ...failure, nonRetryable: true });
  refusals[row] = { ...refused, waited: refused.waited + next.delay };
  return ApplicationFailure.create({ ...failure, nextRetryDelay: next.delay });
}

/**
 * A submit that was held back without a POST, because the API refuses the workspace's submits for now.
 *
 * @param delay when it is to come again, milliseconds; undefined: it has waited long enough
 */
export function heldBack(workspace: string, family: Family, delay: number | undefined): ApplicationFailure {
  const type = codeWithPrefix('RATE_LIMITED', family);
  const message =
    delay === undefined
      ? `the API has refused every submit of workspace ${workspace} for as long as the policy waits`
      : `held back: the API refuses submits of workspace ${workspace} for now`;
  const details: RejectionDetails = { code: type, message };
  return ApplicationFailure.create({
    type,
    message,
    details: [details],
    ...(delay === undefined ? { nonRetryable: true } : { nextRetryDelay: Math.ceil(delay) }),
  });
}

/**
 * A submit that has waited in vain for one of those in flight to be answered.
 *
 * @param delay when it is to come again, milliseconds
 */
export function noRoom(workspace: string, delay: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'HELD_BACK',
    message: `held back: as many submits of workspace ${workspace} as this worker lets out wait for the API's answer`,
    nextRetryDelay: Math.ceil(delay),
  });
}

/** A submit that this worker cannot make, and another one can: it comes again, here or there. */
export function notConfigured(message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: NOT_CONFIGURED, message });
}

/** A code that should carry its family's prefix but came without one, completed. */
function codeWithPrefix(code: string, family: Family): string {
  return PREFIXED_CODES.some((prefixed) => prefixed === code) ? `${ERROR_PREFIX[family]}_${code}` : code;
}

/** What was only to be adopted, and is not there. */
export function nothingToAdopt({ type, message }: WhyNothing): ApplicationFailure {
  const details: RejectionDetails = { code: type, message };
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [details] });
}

/** Nothing was sent, beside a task of which nobody can tell. */
export function submissionUnknown(doubt: string): ApplicationFailure {
  const failure = { type: 'SUBMISSION_UNKNOWN', message: `nothing is bought again: ${doubt}` };
  return ApplicationFailure.create({ ...failure, nonRetryable: true });
}

/** A request that was refused before any network call: `INVALID_REQUEST` with one entry a field. */
export function invalidRequest(errors: FieldError[]): ApplicationFailure {
  const message = firstError(errors);
  const details: RejectionDetails = { code: 'INVALID_REQUEST', message, errors };
  return ApplicationFailure.create({
    type: 'INVALID_REQUEST',
    message,
    nonRetryable: true,
    details: [details],
  });
}
