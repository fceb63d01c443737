import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { fieldDigests } from '../../api/field-digests.ts';
import type { ClaimRequest } from '../../contract/activities.ts';
import { claimRequestedSignal } from '../../contract/messages.ts';
import type { OldWithdrawal, Withdrawal, WithdrawalEnd } from '../../contract/unclaimed-tasks.ts';
import { toUnclaimedTasks } from '../../temporal/unclaimed-tasks.ts';
import type { ActivityDeps } from '../deps.ts';
import { onTheWire } from './on-the-wire.ts';

/**
 * How long a try waits for a withdrawal's end, in milliseconds: less than the activity may take, so that it never
 * keeps a place in the worker after Temporal has given it up. The next try takes the wait up again.
 */
const WITHDRAWAL_LIMIT = 15_000;
/** How long a submit can take, of runs that release 0.1 has begun: they do not say (milliseconds). */
const USUAL_PATIENCE = 130_000;

/** As release 0.1 has scheduled it: with the whole input, by our names, and without what it did not know. */
type OldClaim = Omit<ClaimRequest['claim'], 'fields' | 'firstRunId' | 'patience'> & {
  body: Record<string, unknown>;
};

/**
 * Asks `unclaimed-tasks/<workspace>` for the task of an unknown submit; starts it where it does not run. The
 * grant comes back as a signal. Repeating the same claim changes nothing.
 */
export async function requestClaim(
  { temporal, taskQueue, models, api, normalized }: ActivityDeps,
  { workspace, claim }: ClaimRequest | { workspace: string; claim: OldClaim },
): Promise<void> {
  const asked = 'body' in claim ? fromOld(claim) : claim;
  const shape = normalized.shapeOf(asked.model);
  if (shape === undefined) throw new Error(`this worker does not know model ${asked.model}`);
  const { offset } = api.clock;
  const options = toUnclaimedTasks(workspace, taskQueue, claimRequestedSignal, {
    ...asked,
    fields: onTheWire(asked.fields, models[asked.model]),
    shape,
    ...(offset === undefined ? {} : { clockOffset: offset }),
  });
  await temporal.workflow.signalWithStart('unclaimedTasks', options);
}

function fromOld({ body, ...claim }: OldClaim): ClaimRequest['claim'] {
  return { ...claim, firstRunId: claim.runId, patience: USUAL_PATIENCE, fields: fieldDigests(body) };
}

/** Ends a claim atomically: afterwards it is granted or gone, never both; or it stays, or was never there. */
export async function withdrawClaim(
  deps: Pick<ActivityDeps, 'withdrawals'>,
  { workspace, ...withdrawal }: { workspace: string } & (Withdrawal | OldWithdrawal),
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
