import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import which from 'which';
import type { Attempt } from './attempt.ts';
import { BuildPace } from './build-pace.ts';
import { keepLastLines } from './last-lines.ts';
import { PACKAGE_FORMAT, readPackages } from './list-packages.ts';
import { PARTIAL, partialFolder } from './partial-folder.ts';
import type { PinnedCli } from './pinned-cli.ts';
import type { ProgressLine } from './progress-line.ts';
import { type Ending, spawnSupervised } from './supervised-process.ts';

const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
const VERSION_VARIABLE = 'github.com/temporalio/cli/internal/temporalcli.Version';
/** What go prints while all goes well: a package as its compilation begins (-v), a module as it is fetched. */
const PACKAGE_LINE = /^[\w.~-]+(\/[\w.~-]+)*$/;
const DOWNLOAD_LINE = /^go: downloading (\S+)/;
const ERROR_LINES = 12;
/** What most of Go's own packages that the server needs hang on: they are compiled while modules are fetched. */
const STANDARD = ['database/sql', 'encoding/xml', 'net/http/httputil', 'net/rpc', 'testing', 'time/tzdata'];
/**
 * Without what a server for development never uses, by its authors' own tags: workers that Temporal starts on Kubernetes
 * (`release`), and Google's ways to its storage other than HTTP (`disable_grpc_modules`). 437 packages of 1,717.
 */
const TAGS = '-tags=release,disable_grpc_modules';
/** In the cache. Removed as other unfinished things are, where nobody goes on with it. */
const COMPILED = `${PARTIAL}go-build`;

export interface BuildOptions {
  /** The go command. */
  go: string;
  cli: PinnedCli;
  cache: string;
  env: NodeJS.ProcessEnv;
  progress: ProgressLine;
}

/**
 * Builds the pinned Temporal CLI into the cache: fetches the sources, compiles some 1,300 packages, and links them. What
 * Go compiles lies in the cache's folder, too, so that a build that was interrupted goes on where it was, and goes when
 * the build is done: over a gigabyte that nobody needs again.
 * Interrupted or failed, it leaves nothing that looks finished. The reason of a failure ends with go's own last words.
 */
export async function buildServer({ go, cli, cache, env, progress }: BuildOptions): Promise<Attempt> {
  const folder = await partialFolder(cache);
  const output = join(folder, cli.fileName);
  const path = join(cache, cli.fileName);
  const compiled = join(cache, COMPILED);
  const run = (args: readonly string[]) =>
    spawnSupervised(go, args, {
      cwd: cli.module,
      env: { GOCACHE: compiled, ...buildEnvironment(env, folder) },
      stopSignal: 'TERM',
    });
  const standard = run(['build', ...buildFlags(cli), ...STANDARD]);
  standard.stdout.resume();
  standard.stderr.resume();
  let doing = 'looks what there is to compile';
  const tick = () => progress.update(`Building Temporal ${cli.version}, once: ${doing}; then it starts`);
  const ticking = setInterval(tick, 1_000);
  tick();
  try {
    let modules = 0;
    const list = run(['list', '-deps', TAGS, '-f', PACKAGE_FORMAT, PACKAGE]);
    const listErrors = keepLastLines(list.stderr, ERROR_LINES, (line) => {
      const module = DOWNLOAD_LINE.exec(line)?.[1];
      if (module !== undefined) doing = `fetching module ${++modules}, ${module}`;
      return module === undefined;
    });
    const packages = await readPackages(list);
    const listed = failureOf(await list.ended, 'go list', listErrors);
    if (listed !== undefined) return listed;
    // The build itself tells what is wrong with it.
    await standard.ended;

    const pace = new BuildPace(packages, Date.now());
    doing = pace.describe(Date.now());
    const build = run(['build', '-v', ...buildFlags(cli), '-o', output, PACKAGE]);
    build.stdout.resume();
    const errors = keepLastLines(build.stderr, ERROR_LINES, (line) => {
      if (!PACKAGE_LINE.test(line)) return true;
      pace.begin(line);
      doing = line === PACKAGE ? 'linking, the last step' : pace.describe(Date.now());
      return false;
    });
    const built = failureOf(await build.ended, 'go build', errors);
    // Another process that built it at the same time was first, and took what was compiled with it.
    if (built !== undefined) return (await isProgram(path)) ? { path } : built;
    if (!(await isProgram(output))) return { reason: `go build left no program at ${output}` };
    await rename(output, path);
    await rm(compiled, { recursive: true, force: true });
    return { path };
  } finally {
    await standard.stop();
    clearInterval(ticking);
    progress.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Archives in clouds, other databases, tracing: a local server has them, and never runs them. */
const NEVER_RUN = [
  'cloud.google.com/go/...',
  'github.com/aws/...',
  'github.com/gocql/...',
  'github.com/jackc/...',
  'github.com/olivere/...',
  'go.opentelemetry.io/...',
];

/**
 * Without what debuggers read, which is stripped in the end: a sixth of the compiler's time. What never runs is not
 * inlined: half of the compiler's time for it, a tenth of the whole build's. Not inlining the rest would make the server
 * slower ever after; less garbage collection in the compiler (GOGC 200, 400, off), or one processor for each, brings nothing.
 */
function buildFlags({ version }: PinnedCli): string[] {
  const linkerFlags = `-s -w -X ${VERSION_VARIABLE}=${version}`;
  const notInlined = NEVER_RUN.map((packages) => `-gcflags=${packages}=-dwarf=false -l`);
  return ['-trimpath', TAGS, '-gcflags=all=-dwarf=false', ...notInlined, '-ldflags', linkerFlags];
}

function failureOf({ code, error }: Ending, what: string, lines: readonly string[]): Attempt | undefined {
  if (error) return { reason: error.message };
  if (code === 0) return undefined;
  return { reason: [`${what} ended with code ${code}`, ...lines].join('\n') };
}

async function isProgram(path: string): Promise<boolean> {
  return (await which(path, { nothrow: true })) !== null;
}

/** A build for this machine that does not depend on git, a C compiler, or a go.work file further up. */
export function buildEnvironment(env: NodeJS.ProcessEnv, temporary: string): NodeJS.ProcessEnv {
  const fixed = { CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false', GOWORK: 'off', GOOS: '', GOARCH: '' };
  return { ...env, ...fixed, GOTMPDIR: temporary };
}
