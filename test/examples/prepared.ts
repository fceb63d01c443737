import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { vi } from 'vitest';
import { cacheDirectory } from '../../src/config/cache-directory.ts';

/** How the example of a language is run, or why it cannot be run here. */
export type Prepared = { command: readonly [string, ...string[]]; cwd: string } | { missing: string };

/**
 * Prepares in a folder of the cache, which is kept for the next time. Test files run side by side: the second one waits
 * for the first, which has done the work for both.
 */
export async function prepareIn(
  name: string,
  prepare: (folder: string) => Promise<Prepared>,
): Promise<Prepared> {
  const folder = join(cacheDirectory(), name);
  await mkdir(folder, { recursive: true });
  const lock = new DatabaseSync(join(folder, 'lock'));
  try {
    await vi.waitFor(() => lock.exec('BEGIN EXCLUSIVE'), { timeout: 600_000, interval: 100 });
    return await prepare(folder);
  } finally {
    lock.close();
  }
}
