import {
  condition,
  defineQuery,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  sleep,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { isLong } from '../../../src/workflows/go-on.ts';
import { keepOrder } from '../../../src/workflows/in-order.ts';

export const goSignal = defineSignal('go');
export const meanwhileSignal = defineSignal('meanwhile');
export const slowQuery = defineQuery<number>('slow');

const { nap } = proxyLocalActivities<{ nap(ms: number): Promise<void> }>({
  startToCloseTimeout: '10 seconds',
});

const { fail } = proxyLocalActivities<{ fail(failure: string): Promise<string> }>({
  startToCloseTimeout: '10 seconds',
});

const { startCallback } = proxyLocalActivities<{ startCallback(): Promise<string> }>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: 20, maximumInterval: 20 },
});

const { work } = proxyActivities<{ work(): Promise<void> }>({
  startToCloseTimeout: '1 minute',
  activityId: 'work',
});

/** Long enough for the local activity to end while a query is answered. */
const STEPS = 300_000_000;

/** @returns whether something was left of a time of which a local activity has taken a part */
export async function waitsForTheRest(): Promise<boolean> {
  keepOrder();
  await begins();
  const until = Date.now() + 150;
  await nap(50);
  const isLeft = Date.now() < until;
  if (isLeft) await sleep(until - Date.now());
  return isLeft;
}

/** @returns whether it heard of what came meanwhile before its local activity had ended, or with no longer a history */
export async function hearsMeanwhile(): Promise<{ isBefore: boolean; isLater: boolean }> {
  keepOrder();
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

/** @returns whether it had heard of what came meanwhile when its local activity had ended, and when it asked for all */
export async function hearsAll(): Promise<{ isBefore: boolean; isThen: boolean }> {
  const order = keepOrder();
  let isHeard = false;
  setHandler(meanwhileSignal, () => void (isHeard = true));
  await begins();
  await nap(50);
  const isBefore = isHeard;
  order.hearAll();
  return { isBefore, isThen: isHeard };
}

/** @returns in which order two local activities ended for it, of which the first one leads to more than the second one */
export async function napsTwice(): Promise<string[]> {
  keepOrder();
  const order: string[] = [];
  const long = async (): Promise<void> => {
    await nap(50);
    for (let hop = 0; hop < 20; hop += 1) await Promise.resolve();
    order.push('long');
    await sleep(1);
  };
  const short = async (): Promise<void> => {
    await nap(200);
    order.push('short');
    upsertMemo({ short: true });
  };
  await Promise.all([long(), short()]);
  return order;
}

/** Begins with a local activity that takes longer than a workflow task. @returns whether it was to go on as another run */
export async function napsForLong(): Promise<boolean> {
  const isToGoOn = isLong(4);
  await nap(2_500);
  if (isToGoOn) upsertMemo({ isToGoOn });
  await sleep(10);
  return isToGoOn;
}

/** Goes by the time before an activity that takes longer than a workflow task. @returns whether it was late then */
export async function napsLate(): Promise<boolean> {
  keepOrder();
  const isLate = Date.now() - workflowInfo().startTime.getTime() > 3_500;
  await nap(9_000);
  if (isLate) upsertMemo({ isLate });
  await sleep(10);
  return isLate;
}

/** Has three local activities at once, together longer than a workflow task. */
export async function napsTogether(): Promise<void> {
  keepOrder();
  await Promise.all([nap(2_500), nap(2_500), nap(2_500)]);
}

/** @returns how its activity ended, which fails as a local one */
export async function triesLocally(failure: 'passing' | 'final'): Promise<string> {
  keepOrder();
  return await fail(failure).catch((error: unknown) => (error instanceof Error ? error.message : ''));
}

/** Says its last words. */
export async function saysLast(): Promise<string> {
  keepOrder();
  return await startCallback();
}

/** @returns in which order an activity and a local one ended for it */
export async function worksAndNaps(): Promise<string[]> {
  keepOrder();
  const order: string[] = [];
  const working = async (): Promise<void> => {
    await work();
    order.push('worked');
    upsertMemo({ worked: true });
  };
  const napping = async (): Promise<void> => {
    await begins();
    await nap(50);
    order.push('napped');
    for (let hop = 0; hop < 20; hop += 1) await Promise.resolve();
    await sleep(1);
  };
  await Promise.all([working(), napping()]);
  return order;
}

/** With a query that it was asked meanwhile. */
async function begins(): Promise<void> {
  let isToGo = false;
  setHandler(goSignal, () => void (isToGo = true));
  setHandler(slowQuery, () => {
    let sum = 0;
    for (let step = 0; step < STEPS; step += 1) sum += step % 7;
    return sum;
  });
  await condition(() => isToGo);
}
