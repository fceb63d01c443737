import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { submit } from '../by-hand/activities.ts';

const activities = proxyActivities<{ submit: typeof submit }>({ startToCloseTimeout: '2 minutes' });

const taskEnded = defineSignal<[string]>('taskEnded');

/** The least that a durable wait for a webhook takes: one activity and one signal. */
export async function floor(model: string, input: object): Promise<string> {
  let hasEnded = false;
  setHandler(taskEnded, () => {
    hasEnded = true;
  });
  const taskId = await activities.submit(model, input);
  await condition(() => hasEnded);
  return taskId;
}
