import { readdirSync, readFileSync } from 'node:fs';

/** The tasks, by their files, and how pages call them. */
export const TASKS = {
  'local-file': 'a local file as input',
  'to-disk': 'text to a file on the disk',
  webhook: 'my webhook when it is done',
  progress: 'progress',
  pipeline: 'two steps, one after the other',
} as const;

export type Task = keyof typeof TASKS;

/** Whose files there are, and how pages call them; Darkroom's last. */
export const CLIENTS = {
  'packages/fal': '@fal-ai/client',
  'packages/replicate': 'replicate',
  'packages/ai-sdk': '@ai-sdk/fal',
  darkroom: 'Darkroom',
} as const;

export type TaskClient = keyof typeof CLIENTS;

const FOLDER = new URL('../tasks/', import.meta.url);

/**
 * Lines that do a task with a client: those in its function. Imports and making the client, once a service, do not count.
 *
 * @returns null where there is no way to do it
 */
export function taskLines(task: Task, client: TaskClient): number | null {
  const file = `${task}.ts`;
  const folder = new URL(`${client}/`, FOLDER);
  if (!readdirSync(folder).includes(file)) return null;
  const [, body = ''] =
    /^export async function .*?\{\n(.*?)^\}/ms.exec(readFileSync(new URL(file, folder), 'utf8')) ?? [];
  return body.split('\n').filter((line) => !/^\s*($|\/\/)/.test(line)).length;
}
