import { condition, uuid4, workflowInfo } from '@temporalio/workflow';
import { formatDuration, gate, summary } from './activities.ts';
import type { Steps } from './generation.ts';
import type { Refusal } from './park.ts';

/** Waits for credits as release 0.1 did, command by command: runs that it has started go on so. */
export async function park01({ run, inbox }: Steps, refusal: Refusal): Promise<boolean> {
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
