import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasErrorCode } from './folder-failure.ts';

/**
 * Makes a folder with all above it, one by one. Node's own `recursive` never ends below a file system in which
 * nothing can be made, like /proc: it takes each refusal for a missing parent (Node 24).
 *
 * @param path absolute
 * @throws as `mkdir` of the first one that could not be made
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const code = hasErrorCode(error) ? error.code : '';
    if (await isFolder(path)) return;
    if (code !== 'ENOENT' || (await isFolder(dirname(path)))) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
