import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder with all above it, from the top down: what others make meanwhile is only found there. Node's own
 * `recursive` never ends below a file system in which nothing can be made, like /proc: it takes each refusal for a
 * missing parent (Node 24).
 *
 * @param path absolute
 * @throws as `mkdir` of the first one that could not be made
 */
export async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  await makeFolder(dirname(path));
  try {
    await mkdir(path);
  } catch (error) {
    if (!(await isFolder(path))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
