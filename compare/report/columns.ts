import { COMPETITORS, NAMES } from '../contest/competitors.ts';
import { isTimely, type Kept, type Scores } from './results.ts';

/** The columns of a level's table. */
export const COLUMNS: readonly { head: string; of: (score: Kept) => string }[] = [
  { head: 'bought', of: ({ bought }) => String(bought) },
  { head: 'bought twice', of: ({ boughtTwice }) => String(boughtTwice) },
  { head: 'lost', of: ({ lost }) => String(lost) },
  { head: 'stuck', of: ({ stuck }) => String(stuck) },
  { head: 'failed honestly', of: ({ failed }) => String(failed) },
  { head: 'POSTs', of: ({ posts }) => String(posts) },
  { head: 'GETs', of: ({ gets }) => String(gets) },
  { head: 'delay, s', of: delayOf },
  { head: 'actions', of: ({ actions }) => String(actions ?? '–') },
  { head: 'CPU, ms', of: (score) => (isTimely(score) ? String(score.cpu) : '–') },
];

/** A row for each competitor that played; a cell has the values of all runs, in their order, or the one that all have. */
export function rowsOf(results: readonly Scores[]): string[][] {
  return NAMES.flatMap((name) => {
    const scores = results.flatMap((scores) => scores[name] ?? []);
    if (scores.length === 0) return [];
    return [[COMPETITORS[name].title, ...COLUMNS.map(({ of }) => cellOf(scores.map(of)))]];
  });
}

function cellOf(values: readonly string[]): string {
  return (new Set(values).size === 1 ? values.slice(0, 1) : values).join(' · ');
}

function delayOf(score: Kept): string {
  const { delay } = score;
  return delay === null || !isTimely(score) ? '–' : `${delay.median} / ${delay.p95}`;
}
