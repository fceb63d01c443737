import { activityInfo, heartbeat, sleep } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { send, type TaskRecord } from '../media-api.ts';

/**
 * Submits, then asks every second. Each heartbeat carries the task's id, so a later attempt goes on with the task that
 * an earlier one has bought. @returns where the picture is
 */
export async function generateImage(prompt: string): Promise<string> {
  let id = activityInfo().heartbeatDetails as string | undefined; // an earlier attempt's
  if (id === undefined) ({ id } = await recordOf(await send('generation/darkroom/image-l', { prompt })));
  for (;;) {
    heartbeat(id);
    const { status, data, message } = await recordOf(await send(`generation/${id}`));
    if (status === 'COMPLETED') return data.images[0]?.url ?? '';
    if (status === 'FAILED' || status === 'CANCELED')
      throw ApplicationFailure.nonRetryable(message ?? status);
    await sleep('1 second');
  }
}

async function recordOf(answer: Response): Promise<TaskRecord> {
  if (answer.ok) return (await answer.json()) as TaskRecord; // the API's own word
  const retryable = answer.status === 429 || answer.status >= 500;
  throw ApplicationFailure.create({ message: await answer.text(), nonRetryable: !retryable });
}
