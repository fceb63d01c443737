import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type File, type Suite, startTests, type Test, type VitestRunner } from '@vitest/runner';
import { idOf } from './test-id.ts';

/** How one test ended; a test that was not wanted is not told. */
export interface TestOutcome {
  /** The file's path and the test's full name. */
  readonly id: string;
  readonly fileName: string;
  /** Where it stands in its file, from 1; undefined for what is no test. */
  readonly at: { line: number; column: number } | undefined;
  /** What it failed with; undefined where it passed. */
  readonly failure: string | undefined;
  readonly milliseconds: number;
}

export interface TestRunOptions {
  /** Paths of test files, run in this order. */
  readonly files: readonly string[];
  /** Whether a test is to run, by its id; all are where undefined. */
  readonly isWanted?: ((id: string) => boolean) | undefined;
  /** What each test takes, in milliseconds, where that is known: the quick ones of a file come first. */
  readonly costs?: ReadonlyMap<string, number>;
  /** Milliseconds that a test or a hook may take: `TIME_OUT` unless given. */
  readonly timeout?: number;
  /** Whether nothing more runs after the first failure. */
  readonly stopsAtFailure: boolean;
  /** Called when the code is loaded, before the first test. */
  readonly onLoaded?: () => void;
  /** Called with the id of the test that begins, and with undefined when it has ended. */
  readonly onTest?: (id: string | undefined) => void;
}

/** Milliseconds that a test or a hook may take. */
export const TIME_OUT = 30_000;
const ROOT = pathToFileURL(`${process.cwd()}/`).href;

/** Counts the runs: the project's own modules are loaded anew for each, packages once. */
let generation = 0;
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const isOurs = resolved.url.startsWith(ROOT) && !resolved.url.includes('/node_modules/');
    return isOurs ? { ...resolved, url: `${resolved.url}?generation=${generation}` } : resolved;
  },
});

// Vitest's `expect` and `vi` look here for what a worker of its own would be told.
Object.assign(globalThis, {
  __vitest_worker__: {
    config: { testTimeout: TIME_OUT, hookTimeout: TIME_OUT, expect: {}, fakeTimers: {}, sequence: {} },
    environment: { name: 'node' },
    durations: {},
    ctx: {},
    metaEnv: process.env,
    providedContext: {},
  },
});

let uncaught: unknown[] = [];
process.on('unhandledRejection', (reason) => uncaught.push(reason));
process.on('uncaughtException', (error) => uncaught.push(error));

/**
 * Runs test files of Vitest in this very process, with all of the project's code loaded anew: what takes Vitest's own
 * workers a second takes 50 ms here.
 *
 * @returns one outcome for each test that ran, and one for a file or a suite that failed outside of its tests
 */
export async function runTests(options: TestRunOptions): Promise<TestOutcome[]> {
  generation += 1;
  uncaught = [];
  const outcomes: TestOutcome[] = [];
  for (const path of options.files) {
    const [file] = await startTests([resolve(path)], new OneRun(options));
    if (file === undefined) throw new Error(`${path} was not run`);
    outcomes.push(...outcomesOf(file, path, file));
    await new Promise((done) => setImmediate(done)); // rejections that nobody handles show themselves then
    if (uncaught.length > 0) outcomes.push(outcome(path, '', String(uncaught[0])));
    uncaught = [];
    if (options.stopsAtFailure && outcomes.some(({ failure }) => failure !== undefined)) break;
  }
  return outcomes;
}

/** What `@vitest/runner` asks of whoever embeds it. */
class OneRun implements VitestRunner {
  readonly config: VitestRunner['config'] = {
    root: process.cwd(),
    setupFiles: [],
    name: undefined,
    passWithNoTests: true,
    testNamePattern: undefined,
    allowOnly: false,
    sequence: { seed: 0, hooks: 'stack', setupFiles: 'list' },
    chaiConfig: undefined,
    maxConcurrency: 1,
    testTimeout: TIME_OUT,
    hookTimeout: TIME_OUT,
    retry: 0,
    includeTaskLocation: true,
    tags: [],
    tagsFilter: undefined,
    strictTags: false,
  };
  readonly #options: TestRunOptions;
  #hasFailed = false;

  constructor(options: TestRunOptions) {
    this.#options = options;
    const { timeout = TIME_OUT } = options;
    Object.assign(this.config, { testTimeout: timeout, hookTimeout: timeout });
  }

  async importFile(path: string): Promise<unknown> {
    return await import(pathToFileURL(path).href);
  }

  onCollected(files: File[]): void {
    const { isWanted, costs, onLoaded } = this.#options;
    for (const file of files) {
      if (isWanted !== undefined) skipOthers(file, file.name, isWanted);
      if (costs !== undefined) quickestFirst(file, costs);
    }
    onLoaded?.();
  }

  onBeforeRunTask(test: Test): void {
    if (this.#options.stopsAtFailure && this.#hasFailed) test.mode = 'skip';
    else this.#options.onTest?.(idOf(test.file.name, nameOf(test)));
  }

  onAfterRunTask(test: Test): void {
    this.#options.onTest?.(undefined);
    this.#hasFailed ||= test.result?.state === 'fail';
  }
}

/** @returns whether anything in it is left to run */
function skipOthers(suite: Suite, path: string, isWanted: (id: string) => boolean): boolean {
  let isLeft = false;
  for (const task of suite.tasks) {
    const isOne =
      task.type === 'test' ? isWanted(idOf(path, nameOf(task))) : skipOthers(task, path, isWanted);
    if (task.type === 'test' && !isOne) task.mode = 'skip';
    isLeft ||= isOne;
  }
  if (!isLeft) suite.mode = 'skip';
  return isLeft;
}

/** @returns what all of it takes */
function quickestFirst(suite: Suite, costs: ReadonlyMap<string, number>): number {
  const costOf = new Map(
    suite.tasks.map((task) => [
      task,
      task.type === 'test'
        ? (costs.get(idOf(task.file.name, nameOf(task))) ?? 0)
        : quickestFirst(task, costs),
    ]),
  );
  suite.tasks.sort((a, b) => (costOf.get(a) ?? 0) - (costOf.get(b) ?? 0));
  return [...costOf.values()].reduce((sum, cost) => sum + cost, 0);
}

function outcomesOf(file: File, path: string, suite: Suite): TestOutcome[] {
  const own = suite.result?.errors?.[0];
  return [
    ...(own === undefined ? [] : [outcome(path, suite === file ? '' : nameOf(suite), own.message)]),
    ...suite.tasks.flatMap((task) => {
      if (task.type !== 'test') return outcomesOf(file, path, task);
      const { state, errors, duration = 0 } = task.result ?? {};
      if (state !== 'pass' && state !== 'fail') return [];
      const failure = state === 'fail' ? (errors?.[0]?.message ?? 'failed') : undefined;
      return [outcome(path, nameOf(task), failure, { milliseconds: duration, at: task.location })];
    }),
  ];
}

function outcome(
  path: string,
  name: string,
  failure: string | undefined,
  { milliseconds = 0, at }: { milliseconds?: number; at?: TestOutcome['at'] } = {},
): TestOutcome {
  return { id: idOf(path, name), fileName: path, at, failure, milliseconds };
}

function nameOf(task: Test | Suite): string {
  return task.suite === undefined || task.suite === task.file
    ? task.name
    : `${nameOf(task.suite)} > ${task.name}`;
}
