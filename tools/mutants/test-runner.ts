import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import type { InstrumenterContext } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { FOLDERS } from './folders.ts';
import { idOf } from './test-id.ts';
import { runTests, type TestOutcome } from './test-run.ts';

/** The name by which `run-folder.ts` asks Stryker for this runner, and the variable that tells it the folder. */
const NAME = 'in-process';
const FOLDER = 'DARKROOM_MUTANTS';
/** In Stryker's copy of the project, which its processes share. */
const COSTS = 'test-costs.json';

/** With a change a test may take so many times as long, and so many milliseconds at least. */
const TIMES = 4;
const LEAST_TIME_OUT = 10_000;

/** What Stryker has put into the code looks here for the mutant that is on, and counts here. */
const instrumented: InstrumenterContext = {};
Object.assign(globalThis, { __stryker__: instrumented });

/** Runs the folder's tests for Stryker, in the process that Stryker has started for it. */
class InProcessRunner implements TestRunner {
  readonly #files = testFiles();
  #costs: ReadonlyMap<string, number> | undefined;

  capabilities() {
    return { reloadEnvironment: true };
  }

  /** All tests without any change: which test runs which mutants. */
  async dryRun(): Promise<DryRunResult> {
    const outcomes = await runTests({
      files: this.#files,
      stopsAtFailure: false,
      onTest: (id) => set({ currentTestId: id }),
    });
    const costs = outcomes.map(({ id, milliseconds }): [string, number] => [id, milliseconds]);
    writeFileSync(COSTS, JSON.stringify(costs));
    const { mutantCoverage } = instrumented;
    const tests = outcomes.map(toResult);
    return { status: DryRunStatus.Complete, tests, ...(mutantCoverage && { mutantCoverage }) };
  }

  async mutantRun({
    activeMutant,
    mutantActivation,
    testFilter,
    ...options
  }: MutantRunOptions): Promise<MutantRunResult> {
    const { hitLimit, disableBail } = options;
    const costs = (this.#costs ??= readCosts());
    const isStatic = mutantActivation === 'static';
    const only = testFilter && new Set(testFilter);
    set({ hitCount: 0, hitLimit, activeMutant: isStatic ? activeMutant.id : undefined });
    const outcomes = await runTests({
      files: this.#files.filter((path) => only === undefined || holdsAny(only, path)),
      isWanted: only && ((id) => only.has(id)),
      costs,
      timeout: Math.max(LEAST_TIME_OUT, TIMES * longest(only, costs)),
      stopsAtFailure: !disableBail,
      onLoaded: () => set({ activeMutant: activeMutant.id }),
    });
    const { hitCount } = instrumented;
    set({ activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
    const endless = determineHitLimitReached(hitCount, hitLimit);
    return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests: outcomes.map(toResult) });
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, NAME, InProcessRunner)];

/** Sets fields, or takes them away. */
function set(fields: { [Key in keyof InstrumenterContext]?: InstrumenterContext[Key] | undefined }): void {
  Object.assign(instrumented, fields);
}

function readCosts(): ReadonlyMap<string, number> {
  const text = existsSync(COSTS) ? readFileSync(COSTS, 'utf8') : '[]';
  return new Map(JSON.parse(text) as [string, number][]); // as it was written above
}

/** What the slowest of these tests takes, in milliseconds. */
function longest(only: ReadonlySet<string> | undefined, costs: ReadonlyMap<string, number>): number {
  return Math.max(0, ...[...(only ?? costs.keys())].map((id) => costs.get(id) ?? 0));
}

function holdsAny(ids: ReadonlySet<string>, path: string): boolean {
  for (const id of ids) if (id.startsWith(idOf(path, ''))) return true;
  return false;
}

function testFiles(): string[] {
  const folder = FOLDERS.find(({ name }) => name === process.env[FOLDER]);
  if (folder === undefined) throw new Error(`${FOLDER} names no folder of tools/mutants/folders.ts`);
  return [...new Set(folder.tests.flatMap((pattern) => globSync(pattern).toSorted()))];
}

function toResult({ id, fileName, at, failure, milliseconds }: TestOutcome): TestResult {
  // Stryker counts from 0; by the place it sees which tests have changed.
  const startPosition = at && { line: at.line - 1, column: at.column - 1 };
  const test = { id, name: id, fileName, timeSpentMs: milliseconds, ...(startPosition && { startPosition }) };
  return failure === undefined
    ? { ...test, status: TestStatus.Success }
    : { ...test, status: TestStatus.Failed, failureMessage: failure };
}
