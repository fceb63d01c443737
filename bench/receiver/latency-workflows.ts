import { condition, proxyLocalActivities, setHandler, sleep } from '@temporalio/workflow';
import { taskEventSignal } from '../../src/contract/messages.ts';

const { getStatus } = proxyLocalActivities<{ getStatus(taskId: string): Promise<string> }>({
  startToCloseTimeout: '10 seconds',
});

/** Waits for a task as \`generation\` does: a signal wakes it up, one GET settles it. */
export async function wokenByEvent(taskId: string): Promise<string> {
  let woken = false;
  setHandler(taskEventSignal, () => {
    woken = true;
  });
  await condition(() => woken);
  return getStatus(taskId);
}

/** Waits for a task as a caller without webhooks does. */
export async function polling(taskId: string): Promise<string> {
  for (;;) {
    const status = await getStatus(taskId);
    if (status === 'COMPLETED') return status;
    await sleep(500);
  }
}
