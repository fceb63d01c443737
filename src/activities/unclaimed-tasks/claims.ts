import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { findModel } from '../../api/models/registry.ts';
import { toWire } from '../../api/wire.ts';
import type { ClaimRequest } from '../../contract/activities.ts';
import { claimRequestedSignal } from '../../contract/messages.ts';
import type { Withdrawal, WithdrawalEnd } from '../../contract/unclaimed-tasks.ts';
import { toUnclaimedTasks } from '../../temporal/unclaimed-tasks.ts';
import type { ActivityDeps } from '../deps.ts';

/**
 * How long a try waits for a withdrawal's end, in milliseconds: less than the activity may take, so that it never
 * keeps a place in the worker after Temporal has given it up. The next try takes the wait up again.
 */
const WITHDRAWAL_LIMIT = 15_000;

/**
 * Asks `unclaimed-tasks/<workspace>` for the task of an unknown submit; starts it where it does not run. The
 * grant comes back as a signal. Repeating the same claim changes nothing.
 */
export async function requestClaim(deps: ActivityDeps, { workspace, claim }: ClaimRequest): Promise<void> {
  const model = findModel(claim.model);
  const body = model === undefined ? claim.body : toWire(model, claim.body, deps.models[claim.model]).body;
  const options = toUnclaimedTasks(workspace, deps.taskQueue, claimRequestedSignal, { ...claim, body });
  await deps.temporal.workflow.signalWithStart('unclaimedTasks', options);
}

/** Ends a claim atomically: afterwards it is granted or gone, never both; or it stays, or was never there. */
export async function withdrawClaim(
  deps: ActivityDeps,
  { workspace, ...withdrawal }: { workspace: string } & Withdrawal,
): Promise<WithdrawalEnd> {
  const over = new AbortController();
  const late = delay(WITHDRAWAL_LIMIT, undefined, { signal: over.signal }).then(() => {
    throw new Error('unclaimed-tasks has not answered yet: it is asked by many');
  });
  try {
    return await Promise.race([
      deps.withdrawals.withdraw(workspace, withdrawal),
      Context.current().cancelled,
      late,
    ]);
  } finally {
    over.abort();
  }
}
