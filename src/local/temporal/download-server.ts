import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CODE } from '../../package/built.ts';
import type { Attempt } from './attempt.ts';
import { keepLastLines } from './last-lines.ts';
import { partialFolder } from './partial-folder.ts';
import type { PinnedCli } from './pinned-cli.ts';
import type { ProgressLine } from './progress-line.ts';
import { spawnSupervised } from './supervised-process.ts';

const DOWNLOAD = fileURLToPath(new URL(`sdk-download${CODE}`, import.meta.url));
const LOOK_EVERY = 250;
const SAY_SO_AFTER = 1_000;
/** A firewall that drops packets gives no answer at all, and the SDK's download knows no time-out. */
const NO_BYTES_AFTER = 10_000;
const STALLED_AFTER = 30_000;

export interface DownloadOptions {
  cli: PinnedCli;
  cache: string;
  env: NodeJS.ProcessEnv;
  progress: ProgressLine;
}

/**
 * Downloads the pinned Temporal CLI with the Temporal SDK (from temporal.download; about 50 MB) into the cache.
 * Without internet that fails within half a second, behind a firewall that swallows it after 10 seconds.
 */
export async function downloadServer({ cli, cache, env, progress }: DownloadOptions): Promise<Attempt> {
  const folder = await partialFolder(cache);
  try {
    const download = spawnSupervised(process.execPath, [DOWNLOAD, folder, `v${cli.version}`], {
      env,
      stopSignal: 'TERM',
    });
    const errors = keepLastLines(download.stderr, 20);
    download.stdout.resume();
    const stalled = new AbortController();
    const watching = watchGrowth(folder, cli, progress, stalled.signal);
    const outcome = await Promise.race([download.ended, watching]);
    stalled.abort();
    if (typeof outcome === 'string') {
      await download.stop();
      return { reason: outcome };
    }
    if (outcome.error) return { reason: outcome.error.message };
    if (outcome.code !== 0) return { reason: shorten(errors.at(-1) ?? `ended with code ${outcome.code}`) };
    const [name] = await readdir(folder);
    if (name === undefined) return { reason: 'it said that it had succeeded, and left no file' };
    const path = join(cache, cli.fileName);
    await rename(join(folder, name), path);
    return { path };
  } finally {
    progress.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reports the size of what is in `folder`; resolves with a reason once it stopped growing. */
async function watchGrowth(
  folder: string,
  cli: PinnedCli,
  progress: ProgressLine,
  signal: AbortSignal,
): Promise<string> {
  let size = 0;
  let grownAt = Date.now();
  while (!signal.aborted) {
    await delay(LOOK_EVERY);
    const now = await sizeOf(folder);
    if (now > size) {
      size = now;
      grownAt = Date.now();
      progress.update(`Downloading the Temporal CLI ${cli.version}: ${Math.round(size / 1_000_000)} MB`);
    }
    const idle = Date.now() - grownAt;
    if (size === 0 && idle > SAY_SO_AFTER)
      progress.update('Waiting for the download of the Temporal CLI to begin');
    if (size === 0 && idle > NO_BYTES_AFTER) return `no answer within ${NO_BYTES_AFTER / 1_000} s`;
    if (idle > STALLED_AFTER) return `no more data for ${STALLED_AFTER / 1_000} s`;
  }
  return 'ended';
}

async function sizeOf(folder: string): Promise<number> {
  let total = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    // The download is renamed when it is complete, maybe just now.
    total += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0;
  }
  return total;
}

/** The SDK's message repeats itself, with the whole address each time. */
function shorten(message: string): string {
  const plain = message
    .replace('Failed to start ephemeral server: ', '')
    .replaceAll(/ for url \([^)]*\)/g, '');
  const parts = plain.split(': ');
  return [...new Set(parts)].join(': ');
}
