import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Context } from '@temporalio/activity';
import { getTask, submitTask, type TaskRecord } from './media-api.ts';
import { settings } from './settings.ts';
import { workflowOfTask } from './webhooks.ts';

export interface StoredFile {
  path: string;
  bytes: number;
  sha256: string;
}

/** Buys a task, and remembers for the webhook whose it is. */
export async function submit(model: string, input: object): Promise<string> {
  const taskId = await submitTask(model, input);
  workflowOfTask.set(taskId, Context.current().info.workflowExecution?.workflowId ?? '');
  return taskId;
}

export async function getResult(taskId: string): Promise<TaskRecord> {
  return await getTask(taskId);
}

/** Downloads a task's files, with their size and hash. */
export async function store({ id, data }: TaskRecord): Promise<StoredFile[]> {
  const folder = join(settings.outputs, id);
  await mkdir(folder, { recursive: true });
  return await Promise.all(
    data.images.map(async ({ url }, index) => {
      const path = join(folder, `${index}.png`);
      const answer = await fetch(url);
      if (!answer.ok || answer.body === null) throw new Error(`${url}: ${answer.status}`);
      const hash = createHash('sha256');
      let bytes = 0;
      await pipeline(
        Readable.fromWeb(answer.body),
        async function* (source) {
          for await (const chunk of source) {
            hash.update(chunk as Buffer); // a body's chunks are bytes
            bytes += (chunk as Buffer).byteLength;
            yield chunk;
          }
        },
        createWriteStream(path),
      );
      return { path, bytes, sha256: hash.digest('hex') };
    }),
  );
}
