import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import which from 'which';
import { cacheDirectory } from '../../config/cache-directory.ts';
import type { Attempt } from './attempt.ts';
import { buildServer } from './build-server.ts';
import { downloadServer } from './download-server.ts';
import { type PinnedCli, readPinnedCli } from './pinned-cli.ts';
import { type ProgressLine, progressLine } from './progress-line.ts';
import { type FailedAttempt, TemporalUnavailableError } from './temporal-unavailable-error.ts';

/** Darkroom is tested from this server on; limits by fairness key, for one, are missing from old ones. */
const OLDEST_SERVER = [1, 31] as const;

/** A server that runs already (nothing is to be started), or a Temporal CLI to start one with. */
export type FoundServer = { kind: 'running'; address: string } | { kind: 'binary'; path: string };

export interface FindServerOptions {
  env?: NodeJS.ProcessEnv;
  progress?: ProgressLine;
}

interface Search {
  env: NodeJS.ProcessEnv;
  progress: ProgressLine;
  cache: string;
  cli: PinnedCli;
}

/** The ways to a Temporal CLI, in the order in which they are tried: the cheap ones first. */
const WAYS: readonly { way: string; attempt: (search: Search) => Promise<Attempt> }[] = [
  { way: '`temporal` on the PATH', attempt: onPath },
  { way: 'the cache', attempt: inCache },
  { way: "the Temporal SDK's download", attempt: downloadServer },
  { way: 'building it with Go', attempt: withGo },
];

/**
 * Finds a Temporal to use: TEMPORAL_ADDRESS, else `temporal` on the PATH, else one in the cache, else the Temporal
 * SDK's download, else, where Go is installed, a build of what tools/temporal-server pins (both end in the cache).
 *
 * @throws TemporalUnavailableError saying what was tried, why it failed, and what would help.
 */
export async function findServer(options: FindServerOptions = {}): Promise<FoundServer> {
  const env = options.env ?? process.env;
  const address = env['TEMPORAL_ADDRESS'];
  if (address) return { kind: 'running', address };

  const cli = await readPinnedCli();
  const search = { env, cli, cache: cacheDirectory(env), progress: options.progress ?? progressLine() };
  const failed: FailedAttempt[] = [];
  for (const { way, attempt } of WAYS) {
    const result = await attempt(search).catch(reasonOfSystemError);
    if ('path' in result) return { kind: 'binary', path: result.path };
    failed.push({ way, reason: result.reason });
  }
  throw new TemporalUnavailableError(failed, cli.goVersion);
}

async function onPath({ env }: Search): Promise<Attempt> {
  const path = await onPathOf(env, 'temporal');
  if (path === null) return { reason: 'there is none' };
  const answer = await promisify(execFile)(path, ['--version'], { env, timeout: 10_000 }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  const server = /Server (\d+)\.(\d+)[\w.-]*/.exec(answer);
  if (server === null) return { reason: `${path} does not answer \`--version\` as the Temporal CLI does` };
  const [major, minor] = [Number(server[1]), Number(server[2])];
  const [oldestMajor, oldestMinor] = OLDEST_SERVER;
  const isRecent = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  return isRecent
    ? { path }
    : { reason: `${path} is too old: ${server[0]}, needed ${OLDEST_SERVER.join('.')}` };
}

async function inCache({ cache, cli }: Search): Promise<Attempt> {
  const path = join(cache, cli.fileName);
  return (await which(path, { nothrow: true })) !== null ? { path } : { reason: `there is no ${path}` };
}

async function withGo(search: Search): Promise<Attempt> {
  const go = await onPathOf(search.env, 'go');
  if (go === null) return { reason: 'Go is not installed (no `go` on the PATH)' };
  return buildServer({ go, ...search });
}

/** The file that a shell would run for a name. */
function onPathOf(env: NodeJS.ProcessEnv, name: string): Promise<string | null> {
  return which(name, { path: env['PATH'] ?? env['Path'] ?? '', nothrow: true });
}

/** A full disk or a cache that cannot be written is a reason like others; anything else is our defect. */
function reasonOfSystemError(error: unknown): Attempt {
  if (error instanceof Error && 'syscall' in error)
    return { reason: `${error.message} (DARKROOM_CACHE names another folder)` };
  throw error;
}
