import { Context } from '@temporalio/activity';
import { send, type TaskRecord } from '../media-api.ts';
import { rememberTask } from './webhooks.ts';

export async function submit(prompt: string): Promise<{ id: string } | 'busy'> {
  const answer = await send('generation/darkroom/image-l', { prompt }).catch(unlessRefused);
  if (answer === undefined || answer.status === 429 || answer.status === 503) return 'busy';
  const { id } = await recordOf(answer);
  rememberTask(id, Context.current().info.workflowExecution?.workflowId ?? '');
  return { id };
}

export async function getRecord(id: string): Promise<TaskRecord> {
  return await recordOf(await send(`generation/${id}`));
}

/** Without a connection nothing was sent. */
function unlessRefused(error: Error & { cause?: { code?: string } }): undefined {
  if (error.cause?.code !== 'ECONNREFUSED') throw error;
}

async function recordOf(answer: Response): Promise<TaskRecord> {
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as TaskRecord; // the API's own word
}
