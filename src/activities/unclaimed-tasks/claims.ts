import { Context } from '@temporalio/activity';
import type { ClaimPutIn, ClaimRequest, WithdrawalRequest } from '../../contract/activities.ts';
import type { WithdrawalEnd } from '../../contract/entities/claims.ts';
import { CLOCK_TOLERANCE } from '../../contract/limits.ts';
import { claimRequestedSignal } from '../../contract/messages.ts';
import { signalEntity } from '../../temporal/signal-entity.ts';
import { toUnclaimedTasks } from '../../temporal/unclaimed-tasks.ts';
import type { ActivityDeps } from '../deps.ts';
import { answerWithin } from '../update-queue.ts';
import { lostEvidence } from './lost-evidence.ts';
import { onTheWire } from './on-the-wire.ts';

/** How long a try waits for a withdrawal's end, in milliseconds. */
const WITHDRAWAL_LIMIT = 15_000;

/**
 * Asks `unclaimed-tasks/<workspace>` for the task of an unknown submit; starts it where it does not run. The
 * grant comes back as a signal. Repeating the same claim changes nothing.
 */
export async function requestClaim(
  { temporal, taskQueue, models, api, temporalClock, normalized }: ActivityDeps,
  { workspace, claim }: ClaimRequest,
): Promise<ClaimPutIn> {
  const shape = normalized.shapeOf(claim.model);
  if (shape === undefined) throw new Error(`this worker does not know model ${claim.model}`);
  const clockOffset = claim.clockOffset ?? atLeast(api.clock.offset, temporalClock.offset);
  const options = toUnclaimedTasks(workspace, taskQueue, claimRequestedSignal, {
    ...claim,
    fields: onTheWire(claim.fields, models[claim.model]),
    shape,
    ...(clockOffset === undefined ? {} : { clockOffset }),
  });
  const { cancellationSignal, info } = Context.current();
  // One that was given up comes late otherwise, and opens again what its run has closed.
  const entity = await temporal.withAbortSignal(cancellationSignal, () =>
    signalEntity(temporal, 'unclaimedTasks', options),
  );
  const { runId } = info.workflowExecution ?? {};
  return { ...(entity === undefined ? {} : { entity }), ...(runId === undefined ? {} : { runId }) };
}

/**
 * How far the API's clock is ahead of Temporal's at least, by what this worker knows of both: where the one that submitted
 * could not tell, nothing must make the submit younger than it is.
 */
function atLeast(api: number | undefined, temporal = 0): number | undefined {
  return api === undefined ? undefined : Math.min(0, api, api - temporal);
}

/** Ends a claim atomically: afterwards it is granted or gone, never both; or it stays, or was never there. */
export async function withdrawClaim(
  deps: Pick<ActivityDeps, 'withdrawals' | 'temporal' | 'taskQueue'>,
  { workspace, submittedAt, claimedAt, ...withdrawal }: WithdrawalRequest,
): Promise<WithdrawalEnd> {
  const { temporal, taskQueue } = deps;
  if (submittedAt !== undefined) {
    const since = submittedAt - CLOCK_TOLERANCE; // a worker's clock has told it
    const lost = await lostEvidence(temporal, { workspace, taskQueue, since, claimedAt });
    if (lost !== undefined) return lost;
  }
  return await answerWithin(WITHDRAWAL_LIMIT, deps.withdrawals.withdraw(workspace, withdrawal));
}
