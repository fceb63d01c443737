import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { CompetitorName } from '../contest/competitors.ts';
import type { LevelName } from '../contest/levels.ts';
import type { Probed } from '../contest/probe.ts';
import type { Score } from '../contest/score.ts';

/** A score, and what is to be known of its run. */
export interface Kept extends Score {
  /** ISO 8601. */
  at: string;
  /** Of the machine then: how many programs wanted each of its processors. */
  load: number;
}

export type Scores = Partial<Record<CompetitorName, Kept>>;

/** A machine that is busier than this says nothing about times. */
const QUIET = 1.5;

/** Whether a score's times say something. */
export function isTimely({ load }: Kept): boolean {
  return load <= QUIET;
}

/** What a run found, as `--json` prints it and `--write` keeps it. */
export interface Results {
  seed: number;
  orders: number;
  /** Orders a second for each competitor. */
  pace: number;
  /** How many times faster than the real thing tasks were. */
  speed: number;
  versions: Record<string, string>;
  probe: Record<string, Probed>;
  levels: Partial<Record<LevelName, Scores>>;
}

const FOLDER = new URL('../results/', import.meta.url);

/** Keeps a run's results, with what it did not run of the kept ones. */
export function keep(results: Results): void {
  mkdirSync(FOLDER, { recursive: true });
  const before = keptResults().find(({ seed }) => seed === results.seed);
  const text = JSON.stringify(before === undefined ? results : mergeResults(before, results), null, 2);
  writeFileSync(new URL(`seed-${results.seed}.json`, FOLDER), `${text}\n`);
}

/** The later results, with what they lack from the earlier ones where both are of one seed, size, pace and versions. */
export function mergeResults(before: Results, results: Results): Results {
  if (!isDeepStrictEqual(conditionsOf(before), conditionsOf(results))) return results;
  const names = Object.keys({ ...before.levels, ...results.levels }) as LevelName[]; // the records' own keys
  const levels = names.map((name) => [name, { ...before.levels[name], ...results.levels[name] }]);
  return { ...results, levels: Object.fromEntries(levels) as Results['levels'] };
}

function conditionsOf({ probe: _probe, levels: _levels, ...conditions }: Results) {
  return conditions;
}

/** By seed. */
export function keptResults(): Results[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  const read = (name: string): Results => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Results; // written above
  return files.map(read).sort((a, b) => a.seed - b.seed);
}
