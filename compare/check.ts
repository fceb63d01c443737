import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { NAMES } from './contest/competitors.ts';
import type { LevelName } from './contest/levels.ts';
import { EXPECTED, PACKAGES } from './contest/probe.ts';
import type { Results } from './report/results.ts';

/** What the small run has to find, to the task, on whatever machine: `bought twice` by level and competitor. */
const KEPT = JSON.parse(readFileSync(new URL('bought-twice.json', import.meta.url), 'utf8')) as Partial<
  Record<LevelName, Record<string, number>>
>; // written beside this file

/** In which ways a small run was otherwise than it has to be; one line each. */
export function differencesFrom({ probe, levels }: Results): string[] {
  const found: string[] = [];
  for (const name of PACKAGES) {
    const [is, was] = [JSON.stringify(probe[name]), JSON.stringify(EXPECTED[name])];
    if (is !== was) found.push(`${name}: the package did ${is} with lost answers, and ${was} before`);
  }
  for (const [level, kept] of Object.entries(KEPT) as [LevelName, Record<string, number>][]) {
    const scores = levels[level] ?? {};
    // A machine that is too busy makes a run ask a person, and that is no loss.
    const lost = scores.darkroom?.lost;
    if (lost !== 0) found.push(`${level}: Darkroom lost ${lost}`);
    for (const name of NAMES) {
      const twice = scores[name]?.boughtTwice;
      if (twice !== kept[name])
        found.push(`${level}: ${name} bought ${twice} twice, and ${kept[name]} before`);
    }
  }
  return found;
}

/** What the compiler has against the files that use the packages, a line each; they have to be installed. */
export async function mistakesOfTypes(): Promise<string[]> {
  const checked = promisify(execFile)('npx', ['tsc', '-p', import.meta.dirname]);
  return await checked.then(
    () => [],
    (error: unknown) => (error as { stdout: string }).stdout.trim().split('\n'), // of `execFile`
  );
}
