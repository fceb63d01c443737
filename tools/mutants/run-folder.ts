import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import type { Folder } from './folders.ts';
import type { MutantReport } from './survivors.ts';

export interface RunOptions {
  /** Whether what earlier runs have found out is left aside. */
  readonly fresh: boolean;
  /** So many test runs at a time. */
  readonly concurrency: number;
}

/**
 * Changes a folder's files, one small change (a mutant) at a time, and runs the folder's tests against each. What was
 * found out is kept in `.mutants/`, so that the next run looks only at what has changed since; beside it lies a page
 * that shows each mutant in its place.
 *
 * @throws when the tests fail without any change
 */
export async function runFolder({ name, mutate }: Folder, options: RunOptions): Promise<MutantReport> {
  const kept = `.mutants/${name}.json`;
  if (!options.fresh) await forgetSurvivors(kept);
  process.env['DARKROOM_MUTANTS'] = name; // for test-runner.ts, in Stryker's processes
  const stryker = new Stryker({
    mutate: [...mutate],
    testRunner: 'in-process',
    plugins: [fileURLToPath(new URL('test-runner.ts', import.meta.url))],
    maxTestRunnerReuse: 100, // code that was loaded stays in memory
    coverageAnalysis: 'perTest',
    concurrency: options.concurrency,
    tsconfigFile: 'none', // Stryker would read it with TypeScript's API, which version 7 has not; Vitest needs none
    incremental: true,
    incrementalFile: kept,
    force: options.fresh,
    reporters: ['html', 'progress-append-only'],
    htmlReporter: { fileName: `.mutants/${name}.html` },
    tempDirName: '.mutants/sandbox',
    ignorePatterns: ['/.*/**', '/outputs', '/dist', '/bench', '/docs/screenshots', '/test/replay'],
    // Of the time that the tests take without a change, and on top of it: cores are shared.
    timeoutFactor: 4,
    timeoutMS: 20_000,
    disableTypeChecks: false,
    allowEmpty: false,
  });
  await stryker.runMutationTest();
  return await readReport(kept);
}

/**
 * Takes what was not killed out of what Stryker keeps, so that it is tried again: Stryker looks whether a test has
 * changed, but not at what the test imports, and of code that runs as it is loaded it does not know the tests.
 */
async function forgetSurvivors(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const report = await readReport(path);
  for (const file of Object.values(report.files)) {
    file.mutants = file.mutants.filter(({ status }) => status === 'Killed');
  }
  await writeFile(path, JSON.stringify(report));
}

async function readReport(path: string): Promise<MutantReport> {
  return JSON.parse(await readFile(path, 'utf8')) as MutantReport; // Stryker wrote it
}
