import {
  condition,
  defineQuery,
  defineSignal,
  proxyLocalActivities,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { holdClock } from '../../../src/workflows/held-clock.ts';

export const goSignal = defineSignal('go');
export const slowQuery = defineQuery<number>('slow');

const { nap } = proxyLocalActivities<{ nap(ms: number): Promise<void> }>({
  startToCloseTimeout: '10 seconds',
});

/** Long enough for the local activity to end while a query is answered. */
const STEPS = 300_000_000;

/** Waits for what is left of a time that a local activity has taken a part of. @returns whether something was left */
export async function waitsForTheRest(): Promise<boolean> {
  holdClock();
  let isToGo = false;
  setHandler(goSignal, () => void (isToGo = true));
  setHandler(slowQuery, () => {
    let sum = 0;
    for (let step = 0; step < STEPS; step += 1) sum += step % 7;
    return sum;
  });
  await condition(() => isToGo);
  const until = Date.now() + 150;
  await nap(50);
  const isLeft = Date.now() < until;
  if (isLeft) await sleep(until - Date.now());
  return isLeft;
}
