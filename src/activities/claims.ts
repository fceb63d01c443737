import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { findModel } from '../api/models/registry.ts';
import { toWire } from '../api/wire.ts';
import type { ParkedGeneration } from '../workflows/credit-gate/contract.ts';
import { entityId } from '../workflows/names.ts';
import type { Claim, Withdrawal, WithdrawalEnd } from '../workflows/unclaimed-tasks/contract.ts';
import { toUnclaimedTasks } from '../workflows/unclaimed-tasks/signal-with-start.ts';
import type { ActivityDeps } from './deps.ts';
import { getBalance } from './get-balance.ts';

/** A claim as the workflow makes it: `body` still by our field names. */
export interface ClaimRequest {
  workspace: string;
  claim: Claim;
}

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
  const options = toUnclaimedTasks(workspace, deps.taskQueue, 'claimRequested', { ...claim, body });
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

/** Parks a generation at the gate of its workspace, which signals it when the balance allows a submit. */
export async function enterCreditGate(
  deps: ActivityDeps,
  { workspace, entry }: { workspace: string; entry: ParkedGeneration },
): Promise<void> {
  const report = entry.baseline === undefined ? await getBalance(deps, { workspace }) : undefined;
  const baseline = report?.kind === 'balance' ? report.available : entry.baseline;
  await deps.temporal.workflow.signalWithStart('creditGate', {
    workflowId: entityId('credit-gate', workspace, deps.taskQueue),
    taskQueue: deps.taskQueue,
    args: [{ workspace }],
    signal: 'parked',
    signalArgs: [{ ...entry, ...(baseline === undefined ? {} : { baseline }) }],
    staticSummary: `generations of workspace ${workspace} that wait for credits`,
  });
}

/** Takes a generation out of the gate's queue; harmless when it is not there. */
export async function leaveCreditGate(
  deps: ActivityDeps,
  { workspace, parkId }: { workspace: string; parkId: string },
): Promise<void> {
  try {
    await deps.temporal.workflow
      .getHandle(entityId('credit-gate', workspace, deps.taskQueue))
      .signal('left', parkId);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
