import {
  ApplicationFailure,
  condition,
  defineSignal,
  proxyActivities,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import type * as activities from './activities.ts';

const { submit } = proxyActivities<typeof activities>({
  startToCloseTimeout: '2 minutes',
  retry: { maximumAttempts: 1 }, // it costs money: nothing is sent again on a guess
});
const { getRecord } = proxyActivities<typeof activities>({ startToCloseTimeout: '2 minutes' });

const taskEnded = defineSignal('taskEnded');

/** Submit, wait for the webhook's signal (or look every 30 s, should it never come), GET. */
export async function generation(prompt: string): Promise<string> {
  let hasEnded = false;
  setHandler(taskEnded, () => void (hasEnded = true));
  const id = await untilTaken(prompt);
  for (;;) {
    await condition(() => hasEnded, '30 seconds');
    const { status, data, message } = await getRecord(id);
    if (status === 'COMPLETED') return data.images[0]?.url ?? '';
    if (['FAILED', 'CANCELED'].includes(status)) throw ApplicationFailure.nonRetryable(message ?? status);
    hasEnded = false;
  }
}

/** What the API has refused for now (429, 503, no connection) it has not charged: that is sent again, later and later. */
async function untilTaken(prompt: string): Promise<string> {
  for (let seconds = 1; ; seconds = Math.min(2 * seconds, 60)) {
    const taken = await submit(prompt);
    if (taken !== 'busy') return taken.id;
    await sleep(`${seconds}s`);
  }
}
