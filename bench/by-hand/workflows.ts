import {
  ApplicationFailure,
  condition,
  defineSignal,
  executeChild,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type * as activities from './activities.ts';

const { submit } = proxyActivities<typeof activities>({
  startToCloseTimeout: '2 minutes',
  retry: { maximumAttempts: 1 }, // it costs money
});
const { getResult, store } = proxyActivities<typeof activities>({ startToCloseTimeout: '2 minutes' });

const taskEnded = defineSignal<[string]>('taskEnded');

/** A generation as one writes it in an afternoon: submit, wait for the webhook's signal, GET, store. */
export async function generateByHand(
  model: string,
  input: object,
): Promise<{ taskId: string; files: activities.StoredFile[] }> {
  let hasEnded = false;
  setHandler(taskEnded, () => {
    hasEnded = true;
  });
  const taskId = await submit(model, input);
  await condition(() => hasEnded);
  const record = await getResult(taskId);
  if (record.status !== 'COMPLETED')
    throw ApplicationFailure.nonRetryable(record.message ?? record.status, record.code);
  return { taskId, files: await store(record) };
}

/** Three steps that feed each other, as one writes them in an afternoon: the generations are Darkroom's. */
export async function filmByHand(taskQueue: string, prompt: string, zoom: string): Promise<string> {
  const generate = async (model: string, input: object): Promise<string> => {
    const made: { outputs: { url: string }[] } = await executeChild('generation', {
      taskQueue,
      args: [{ model, input }],
    });
    return made.outputs[0]?.url ?? '';
  };
  const still = await generate('image-l', { prompt });
  const large = await generate('upscale-q', { image_url: still });
  return await generate('video-f', { prompt: zoom, first_frame_url: large });
}
