import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Random } from '../../test/chaos/random.ts';
import { type AppliedMutant, allMutants } from './all-mutants.ts';
import type { Folder } from './folders.ts';
import type { Score, Survivor } from './survivors.ts';

/** Where the changes are made: a copy of the project. */
const COPY = '.mutants/sample';
/** Milliseconds for the tests without any change, and then as often that as they took: an endless loop is noticed, too. */
const LONGEST = 10 * 60_000;
const TIMES = 5;
/** Milliseconds that a run gets in any case: other programs want the cores, too. */
const LEAST = 60_000;

export interface SampleOptions {
  /** How many mutants of each folder are drawn. */
  readonly size: number;
  /** From which all chance follows. */
  readonly seed: number;
}

/** What a folder's sample has come to; `of`: how many mutants there are in all. */
export interface SampleResult {
  readonly seed: number;
  readonly score: Score;
  readonly of: number;
  readonly survivors: readonly Survivor[];
}

/** Draws some of a folder's mutants and runs its tests against each. @throws when the tests fail without any change */
export async function sampleFolder(
  { name, mutate, tests }: Folder,
  { size, seed }: SampleOptions,
): Promise<SampleResult> {
  const all = await allMutants(globSync([...mutate]).toSorted());
  const drawn = draw(all, size, new Random(seed));
  copyProject();
  const args = ['run', '--bail', '1', '--reporter', 'dot', ...globSync([...tests])];
  const begun = performance.now();
  if (!(await pass(args, LONGEST))) throw new Error(`the tests of ${name} fail without any change`);
  const limit = Math.max(LEAST, TIMES * (performance.now() - begun));
  const survivors: Survivor[] = [];
  for (const { text, ...mutant } of drawn) {
    const file = join(COPY, mutant.file);
    writeFileSync(file, text);
    const isUnnoticed = await pass(args, limit);
    cpSync(mutant.file, file);
    if (isUnnoticed) survivors.push(mutant);
    process.stderr.write(`${isUnnoticed ? 'survived' : 'noticed '} ${JSON.stringify(mutant)}\n`);
  }
  const mutants = drawn.length;
  return { seed, score: { mutants, noticed: mutants - survivors.length }, of: all.length, survivors };
}

function draw(all: readonly AppliedMutant[], size: number, random: Random): AppliedMutant[] {
  const left = [...all];
  return Array.from({ length: Math.min(size, all.length) }, () => {
    const one = random.pick(left);
    left.splice(left.indexOf(one), 1);
    return one;
  });
}

/** The files that git knows, or would take; packages are shared. */
function copyProject(): void {
  rmSync(COPY, { recursive: true, force: true });
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  for (const path of listed.split('\n').filter((one) => one !== '')) {
    const to = join(COPY, path);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(path, to);
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(COPY, 'node_modules'));
}

/** @returns whether the tests in the copy pass, in so many milliseconds */
async function pass(args: readonly string[], limit: number): Promise<boolean> {
  const vitest = join(process.cwd(), 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, ...args], { cwd: COPY, stdio: 'ignore', detached: true });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), limit);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  return code === 0;
}
