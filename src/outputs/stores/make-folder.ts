import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasErrorCode } from './folder-failure.ts';

/**
 * Makes a folder, and those above it that are missing: what others make meanwhile is only found there. Node's own
 * `recursive` never ends below a file system in which nothing can be made, like /proc: it takes each refusal for a
 * missing parent (Node 24).
 *
 * @param path absolute
 * @returns whether it was made here: then nothing is in it yet
 * @throws as `mkdir` of the first one that could not be made
 */
export async function makeFolder(path: string): Promise<boolean> {
  const refusal = await make(path);
  if (refusal === undefined) return true;
  if (await isFolder(path)) return false;
  if (!hasErrorCode(refusal) || refusal.code !== 'ENOENT') throw refusal;
  await makeFolder(dirname(path));
  const second = await make(path);
  if (second !== undefined && !(await isFolder(path))) throw second;
  return second === undefined;
}

async function make(path: string): Promise<unknown> {
  return await mkdir(path).then(
    () => undefined,
    (error: unknown) => error,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
