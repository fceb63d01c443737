import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** How the names begin of what is unfinished. */
export const PARTIAL = '.partial-';
/** No build and no download takes that long. */
const ABANDONED_AFTER = 3 * 3_600_000;

/**
 * Makes a folder in the cache for something in the making. What is finished is renamed out of it to its real name, so
 * an interrupted build never looks finished, and of two builders at the same time the last one wins. Folders that
 * others left hours ago are removed.
 */
export async function partialFolder(cache: string): Promise<string> {
  await mkdir(cache, { recursive: true });
  for (const name of await readdir(cache)) {
    const path = join(cache, name);
    if (name.startsWith(PARTIAL) && (await isAbandoned(path)))
      await rm(path, { recursive: true, force: true });
  }
  return await mkdtemp(join(cache, PARTIAL));
}

async function isAbandoned(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() })); // removed in the meantime
  return Date.now() - mtimeMs > ABANDONED_AFTER;
}
