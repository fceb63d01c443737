import { COMPETITORS, NAMES } from '../contest/competitors.ts';
import { isTimely, type Kept, type Scores } from './results.ts';

type Value = number | null | undefined;

/** The columns of a level's table; null where a run has no such value, or where its machine was too busy for it. */
const COLUMNS: readonly (readonly [head: string, ...of: ((score: Kept) => Value)[]])[] = [
  ['bought', ({ bought }) => bought],
  ['bought twice', ({ boughtTwice }) => boughtTwice],
  ['lost', ({ lost }) => lost],
  ['stuck', ({ stuck }) => stuck],
  ['failed honestly', ({ failed }) => failed],
  ['POSTs', ({ posts }) => posts],
  ['GETs', ({ gets }) => gets],
  [
    'delay, s',
    (score) => (isTimely(score) ? score.delay?.median : null),
    (score) => (isTimely(score) ? score.delay?.p95 : null),
  ],
  ['actions', ({ actions }) => actions],
  ['CPU, ms', (score) => (isTimely(score) ? score.cpu : null)],
];

/**
 * A level's table: a row for each competitor that played, in each cell the lowest and the highest value of all runs.
 * A column that says nothing of any of them is left out.
 *
 * @param only the columns that are wanted
 */
export function tableOf(
  results: readonly Scores[],
  only: readonly string[] = COLUMNS.map(([head]) => head),
): { head: string[]; rows: string[][] } {
  const played = NAMES.flatMap((name) => {
    const scores = results.flatMap((scores) => scores[name] ?? []);
    return scores.length === 0 ? [] : [{ name, cells: COLUMNS.map(([, ...of]) => cellOf(scores, of)) }];
  });
  const isTold = COLUMNS.map(
    ([head], i) => only.includes(head) && played.some(({ cells }) => saysSomething(cells[i])),
  );
  return {
    head: ['', ...COLUMNS.flatMap(([head], i) => (isTold[i] ? head : []))],
    rows: played.map(({ name, cells }) => [COMPETITORS[name].title, ...cells.filter((_, i) => isTold[i])]),
  };
}

/**
 * A column over all levels: a row for each competitor, a column for each level that says something of any of them.
 *
 * @param head the column's
 * @param levels each level's results, by its name
 */
export function measureOf(
  head: string,
  levels: ReadonlyMap<string, readonly Scores[]>,
): { head: string[]; rows: string[][] } {
  const [, ...of] = COLUMNS.find(([name]) => name === head) ?? [head];
  const told = [...levels].flatMap(([level, results]) => {
    const cells = NAMES.map((name) => {
      const scores = results.flatMap((scores) => scores[name] ?? []);
      return scores.length === 0 ? '–' : cellOf(scores, of);
    });
    return cells.some(saysSomething) ? [{ level, cells }] : [];
  });
  return {
    head: ['', ...told.map(({ level }) => level)],
    rows: NAMES.map((name, i) => [COMPETITORS[name].title, ...told.map(({ cells }) => cells[i] ?? '–')]),
  };
}

function saysSomething(cell: string | undefined): boolean {
  return cell !== '0' && cell !== '–';
}

function cellOf(scores: readonly Kept[], of: readonly ((score: Kept) => Value)[]): string {
  const ranges = of.map((one) => rangeOf(scores.map(one)));
  return ranges.every((range) => range === '–') ? '–' : ranges.join('; ');
}

function rangeOf(values: readonly Value[]): string {
  const known = values.flatMap((value) => value ?? []);
  if (known.length === 0) return '–';
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return least === most ? String(least) : `${least}–${most}`;
}
