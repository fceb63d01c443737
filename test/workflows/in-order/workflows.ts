import {
  condition,
  defineQuery,
  defineSignal,
  proxyLocalActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { keepOrder } from '../../../src/workflows/in-order.ts';

export const goSignal = defineSignal('go');
export const meanwhileSignal = defineSignal('meanwhile');
export const slowQuery = defineQuery<number>('slow');

const { nap } = proxyLocalActivities<{ nap(ms: number): Promise<void> }>({
  startToCloseTimeout: '10 seconds',
});

/** Long enough for the local activity to end while a query is answered. */
const STEPS = 300_000_000;

/** @returns whether something was left of a time of which a local activity has taken a part */
export async function waitsForTheRest(): Promise<boolean> {
  await begins();
  const until = Date.now() + 150;
  await nap(50);
  const isLeft = Date.now() < until;
  if (isLeft) await sleep(until - Date.now());
  return isLeft;
}

/** @returns whether it heard of what came meanwhile before its local activity had ended, or with no longer a history */
export async function hearsMeanwhile(): Promise<{ isBefore: boolean; isLater: boolean }> {
  let heardAt = 0;
  setHandler(meanwhileSignal, () => void (heardAt = workflowInfo().historyLength));
  await begins();
  await nap(50);
  const isBefore = heardAt > 0;
  const { historyLength } = workflowInfo();
  if (!isBefore) await sleep(1);
  await condition(() => heardAt > 0);
  return { isBefore, isLater: heardAt > historyLength };
}

async function begins(): Promise<void> {
  keepOrder();
  let isToGo = false;
  setHandler(goSignal, () => void (isToGo = true));
  setHandler(slowQuery, () => {
    let sum = 0;
    for (let step = 0; step < STEPS; step += 1) sum += step % 7;
    return sum;
  });
  await condition(() => isToGo);
}
