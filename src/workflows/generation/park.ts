import { condition, uuid4, workflowInfo } from '@temporalio/workflow';
import type { Pace } from '../../policy/policy.ts';
import { formatDuration, gate, summary } from './activities.ts';
import type { Steps } from './generation.ts';

export interface Refusal {
  message: string;
  /** How often the balance is looked at, and for how long at most. */
  pace: Pace;
  /** Since when the run has been without credits, in milliseconds since the epoch. */
  parkedSince: number;
  /** Credits that a task costs, if an earlier attempt has shown it. */
  price: number | undefined;
  /** The balance at the refusal, if it could be read. */
  available?: number | undefined;
}

/**
 * Waits for credits instead of failing. All parked generations of a workspace share one gate, which polls the
 * balance once for all and wakes them in order. Ends early by `checkNow`.
 *
 * @returns whether to submit again; false when the policy's window for it has passed
 */
export async function park({ run, inbox }: Steps, refusal: Refusal): Promise<boolean> {
  const { message, pace, parkedSince, price, available } = refusal;
  const { workspace } = run;
  const { workflowId } = workflowInfo();
  const parkId = uuid4(); // not the run's id: that changes in a Reset, and history must stay true
  const left = parkedSince + pace.window - Date.now();
  if (left <= 0) return false;
  inbox.lookRequested = false;
  run.enter('parked', message);
  await gate.enterCreditGate({
    workspace,
    entry: {
      parkId,
      workflowId,
      pace,
      parkedSince,
      ...(price === undefined ? {} : { price }),
      ...(available === undefined ? {} : { baseline: available }),
    },
  });
  const isReleased = (): boolean => inbox.released.has(parkId);
  const isWoken = await condition(() => isReleased() || inbox.lookRequested, left, {
    summary: summary(`wait for credits, at most ${formatDuration(left)}`),
  });
  inbox.lookRequested = false;
  inbox.looks += 1;
  if (!isReleased()) await gate.leaveCreditGate({ workspace, parkId });
  return isWoken;
}
