import { CancellationScope } from '@temporalio/workflow';
import { firstError } from '../../api/input/mistakes.ts';
import type { RequestCheck } from '../../contract/activities.ts';
import type { RejectionDetails } from '../../contract/tasks/submit-task.ts';
import { local, whyFailed } from './activities.ts';
import type { UnknownSubmit } from './stage.ts';
import type { Run, State } from './state.ts';
import { fail, followPolicy, leaveSearch, lookFor } from './transitions.ts';

/** A submit that was rejected for good: waits for credits, tries a new seed, or fails. Nothing was bought. */
export function afterRejection(
  { request }: Run,
  before: State,
  { code, message, errors, available, plan = before.plan, lookedBack = before.lookedBack }: RejectionDetails,
): State {
  const failure = { type: code, message, errors };
  // Its check has refused it, a budget or cap, or there was nothing to take over: that is no attempt.
  const isSent = plan !== undefined && code !== 'BUDGET_EXCEEDED' && code !== request.adoptOnly?.type;
  return isSent
    ? followPolicy({ ...before, plan, lookedBack }, 'submit', failure, available)
    : fail(before, failure);
}

/**
 * A submit that has told nothing, not even what the check of its request has come to: its worker was lost. What is to
 * follow hangs on the policy. A request that is refused now may have been right for that worker:
 * the submit stays in doubt.
 */
export async function afterUnchecked(run: Run, state: State, unknown: UnknownSubmit): Promise<State> {
  // A run that is being cancelled leaves its search on record as well.
  const check = await CancellationScope.nonCancellable(() => local.checkGeneration(run.asked)).catch(
    (error: unknown): RequestCheck => ({
      ok: false,
      errors: [{ path: 'request', message: `cannot be checked: ${whyFailed(error)}` }],
    }),
  );
  if (check.ok) {
    const { ok: _, ...plan } = check;
    return lookFor({ ...state, plan }, unknown);
  }
  const { errors } = check;
  return fail(leaveSearch(run, state, unknown), {
    type: 'SUBMISSION_UNKNOWN',
    message: `nobody can tell whether a task was bought: ${unknown.reason}; and the request is refused now: ${firstError(errors)}`,
    errors,
  });
}
