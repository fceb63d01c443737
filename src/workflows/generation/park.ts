import { condition, uuid4, workflowInfo } from '@temporalio/workflow';
import { formatDuration, gate, summary } from './activities.ts';
import type { GenerationRun } from './run.ts';

export interface Refusal {
  message: string;
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
export async function park(run: GenerationRun, refusal: Refusal): Promise<boolean> {
  const { message, price, available } = refusal;
  const pace = run.policy.retries.INSUFFICIENT_CREDITS;
  const { workflowId } = workflowInfo();
  const parkId = uuid4(); // not the run's id: that changes in a Reset, and history must stay true
  const since = run.parkedSince ?? Date.now();
  run.parkedSince = since;
  const left = since + pace.window - Date.now();
  if (left <= 0) return false;
  run.pollRequested = false;
  run.enter('parked', message);
  await gate.enterCreditGate({
    workspace: run.workspace,
    entry: {
      parkId,
      workflowId,
      pace,
      parkedSince: since,
      ...(price === undefined ? {} : { price }),
      ...(available === undefined ? {} : { baseline: available }),
    },
  });
  const woken = await condition(() => run.released.has(parkId) || run.pollRequested, left, {
    summary: summary(`wait for credits, at most ${formatDuration(left)}`),
  });
  const released = run.released.has(parkId);
  run.pollRequested = false;
  run.polls += 1;
  if (!released) await gate.leaveCreditGate({ workspace: run.workspace, parkId });
  return woken;
}
