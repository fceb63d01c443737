import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';

const PARTIAL = '.partial-';
const PARTIAL_NAME = /^\.partial-(\d+)-[\da-f]+@(.+)$/;
const ABANDONED_AFTER = 24 * 3_600_000;

/**
 * Where things live that are worth keeping between runs and between checkouts: `$DARKROOM_CACHE`, else
 * `$XDG_CACHE_HOME/darkroom`, else the platform's own place for caches. The folder need not exist.
 */
export function cacheDirectory(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  if (env['DARKROOM_CACHE']) return resolve(env['DARKROOM_CACHE']);
  if (env['XDG_CACHE_HOME']) return join(env['XDG_CACHE_HOME'], 'darkroom');
  const home = env['HOME'] || env['USERPROFILE'] || homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'darkroom');
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'darkroom');
  return join(home, '.cache', 'darkroom');
}

/**
 * Makes a folder in the cache for something in the making. What is finished is renamed out of it to its real name, so
 * an interrupted build never looks finished, and of two builders at the same time the last one wins. Folders of
 * processes that are gone are removed.
 */
export async function partialFolder(cache: string): Promise<string> {
  await mkdir(cache, { recursive: true });
  for (const name of await readdir(cache)) {
    if (await isAbandoned(cache, name)) await rm(join(cache, name), { recursive: true, force: true });
  }
  const folder = join(cache, `${PARTIAL}${process.pid}-${randomBytes(4).toString('hex')}@${hostname()}`);
  await mkdir(folder);
  return folder;
}

async function isAbandoned(cache: string, name: string): Promise<boolean> {
  const [, pid, host] = PARTIAL_NAME.exec(name) ?? [];
  if (pid === undefined) return false;
  if (host === hostname()) return !isAlive(Number(pid));
  // Another machine's or container's, whose processes cannot be seen from here; or removed in the meantime.
  const { mtimeMs } = await stat(join(cache, name)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return Date.now() - mtimeMs > ABANDONED_AFTER;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
