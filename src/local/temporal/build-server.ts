import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import which from 'which';
import { formatDuration } from '../../policy/duration.ts';
import type { Attempt } from './attempt.ts';
import { keepLastLines } from './last-lines.ts';
import { partialFolder } from './partial-folder.ts';
import type { PinnedCli } from './pinned-cli.ts';
import type { ProgressLine } from './progress-line.ts';
import { spawnSupervised } from './supervised-process.ts';

const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
const VERSION_VARIABLE = 'github.com/temporalio/cli/internal/temporalcli.Version';
/** What go prints while all goes well: a package as its compilation begins (-v), a module as it is fetched. */
const PACKAGE_LINE = /^[\w.~-]+(\/[\w.~-]+)*$/;
const DOWNLOAD_LINE = /^go: downloading (\S+)/;
const ERROR_LINES = 12;

export interface BuildOptions {
  /** The go command. */
  go: string;
  cli: PinnedCli;
  cache: string;
  env: NodeJS.ProcessEnv;
  progress: ProgressLine;
}

/**
 * Builds the pinned Temporal CLI into the cache. Measured on two cores: 3 min 20 s the first time, with the download
 * of all modules, and 4 to 10 s once Go has them and its build cache. Interrupted or failed, it leaves nothing that
 * looks finished. The reason of a failure ends with go's own last words.
 */
export async function buildServer({ go, cli, cache, env, progress }: BuildOptions): Promise<Attempt> {
  const folder = await partialFolder(cache);
  const output = join(folder, cli.fileName);
  const started = Date.now();
  let packages = 0;
  let doing = 'starting';
  const tick = () =>
    progress.update(
      `Building Temporal ${cli.version}, once (about 3 min): ${formatDuration(Date.now() - started)}, ${doing}`,
    );
  const ticking = setInterval(tick, 1_000);
  tick();
  try {
    const linkerFlags = `-s -w -X ${VERSION_VARIABLE}=${cli.version}`;
    const build = spawnSupervised(
      go,
      ['build', '-v', '-trimpath', '-ldflags', linkerFlags, '-o', output, PACKAGE],
      { cwd: cli.module, env: buildEnvironment(env, folder), stopSignal: 'TERM' },
    );
    build.stdout.resume();
    const errors = keepLastLines(build.stderr, ERROR_LINES, (line) => {
      const module = DOWNLOAD_LINE.exec(line)?.[1];
      if (module !== undefined) doing = `downloading ${module}`;
      else if (line === PACKAGE) doing = `linking ${packages} packages`;
      else if (PACKAGE_LINE.test(line)) doing = `package ${++packages}, ${line}`;
      else return true;
      return false;
    });
    const { code, error } = await build.ended;
    if (error) return { reason: error.message };
    if (code !== 0) {
      return { reason: [`go build ended with code ${code}`, ...errors].join('\n') };
    }
    if ((await which(output, { nothrow: true })) === null)
      return { reason: `go build left no program at ${output}` };
    const path = join(cache, cli.fileName);
    await rename(output, path);
    return { path };
  } finally {
    clearInterval(ticking);
    progress.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A build for this machine that does not depend on git, a C compiler, or a go.work file further up. */
export function buildEnvironment(env: NodeJS.ProcessEnv, temporary: string): NodeJS.ProcessEnv {
  const fixed = { CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false', GOWORK: 'off', GOOS: '', GOARCH: '' };
  return { ...env, ...fixed, GOTMPDIR: temporary };
}
