import { Context } from '@temporalio/activity';
import { settings } from './settings.ts';

/** As much of a task's record as a plain worker looks at. */
export interface TaskRecord {
  id: string;
  status: 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELED';
  data: { images: { url: string; content_type?: string }[] };
  usage: { total: number };
  code?: string;
  message?: string;
}

/** One POST: from here on the task costs money. @returns the task's id */
export async function submitTask(model: string, input: object): Promise<string> {
  // Nobody writes this header by hand: the emulator tells by it whose task it is, and the bench asks it.
  const workflow = Context.current().info.workflowExecution?.workflowId ?? '';
  const record = await call(`generation/darkroom/${model}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-darkroom-workflow': encodeURI(workflow) },
    body: JSON.stringify(input),
  });
  return record.id;
}

export async function getTask(taskId: string): Promise<TaskRecord> {
  return await call(`generation/${taskId}`, {});
}

async function call(
  path: string,
  { headers, ...request }: { method?: string; headers?: Record<string, string>; body?: string },
): Promise<TaskRecord> {
  const answer = await fetch(`${settings.apiUrl}/${path}`, {
    ...request,
    headers: { ...headers, authorization: `Bearer ${settings.apiKey}` },
    signal: AbortSignal.timeout(60_000),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as TaskRecord; // the API's own word
}
