import { readFileSync, writeFileSync } from 'node:fs';
import { COMPETITORS, type CompetitorName, NAMES } from '../contest/competitors.ts';
import { LEVEL_NAMES, LEVELS, type LevelName } from '../contest/levels.ts';
import { PACKAGES } from '../contest/probe.ts';
import { measureOf, tableOf } from './columns.ts';
import { isTimely, keptResults, type Results, type Scores } from './results.ts';
import { CLIENTS, TASKS, type Task, type TaskClient, taskLines } from './task-lines.ts';

/** `npm run comparison`: writes the kept results into the pages. With `--check` it only compares. */
const results = keptResults();
if (results.length === 0) throw new Error('no results are kept: npm run compare -- --seed 7 --write');

const PAGES: readonly (readonly [page: string, mark: string, text: () => string])[] = [
  ['README.md', 'comparison', summary],
  ['docs/comparison.md', 'runs', runs],
  ['docs/comparison.md', 'lost answers', lostAnswers],
  ['docs/comparison.md', 'tasks', tasks],
  ['docs/comparison.md', 'levels', levels],
  ['docs/comparison.md', 'failed honestly', () => measure('failed honestly')],
  ['docs/comparison.md', 'delay', () => measure('delay, s')],
  ['docs/comparison.md', 'cost', cost],
];
const BUSY =
  'Times of runs whose load was over 1.5 are left out, and callers then run into their own time-outs; “bought twice” does not depend on the load.';
/** What a caller takes; of the other columns, each has a table of its own, or follows from others. */
const COST = ['GETs', 'actions', 'CPU, ms'];
const isCheck = process.argv.includes('--check');

for (const [path, mark, text] of PAGES) {
  const file = new URL(`../../${path}`, import.meta.url);
  const page = readFileSync(file, 'utf8');
  const place = new RegExp(`(?<=<!-- ${mark} -->\n\n)[^]*?(?=\n<!-- /${mark} -->)`);
  if (!place.test(page)) throw new Error(`${path} has no place for ${mark}`);
  const renewed = page.replace(place, text);
  if (renewed === page) continue;
  if (!isCheck) writeFileSync(file, renewed);
  else {
    process.stderr.write(`${path} is out of date: npm run comparison writes it\n`);
    process.exitCode = 1;
  }
}

/** The first screen's: what must not be, all runs together. */
function summary(): string {
  const shown = LEVEL_NAMES.filter((level) => level !== 'none' && resultsOf(level).length > 0);
  const made = (level: LevelName): number =>
    results.reduce((sum, { orders, levels }) => sum + (levels[level] === undefined ? 0 : orders), 0);
  const rows = NAMES.map((name) => [titleOf(name), ...shown.map((level) => badEnds(level, name))]);
  const counts = [...new Set(shown.map(made))].join(' or ');
  return [
    `**Bought twice**/**paid for and lost**/without an end, of ${counts} generations each. The last three run on Temporal.`,
    '',
    ...table(['', ...shown], rows),
    ...(isBusy() &&
    results.some(({ levels }) => shown.some((level) => (levels[level]?.darkroom?.stuck ?? 0) > 0))
      ? [
          'Run on a machine so busy that a worker could not always say that it lives: a run of Darkroom asks a person then, and has no end until one answers.',
          '',
        ]
      : []),
  ].join('\n');
}

function badEnds(level: LevelName, name: CompetitorName): string {
  const scores = resultsOf(level).flatMap((scores) => scores[name] ?? []);
  if (scores.length === 0) return '–';
  const sum = (what: 'boughtTwice' | 'lost' | 'stuck'): number =>
    scores.reduce((sum, score) => sum + score[what], 0);
  return [sum('boughtTwice'), sum('lost'), sum('stuck')].join('/');
}

function runs(): string {
  const rows = results.map(({ seed, levels }) => {
    const kept = Object.values(levels).flatMap((scores) => Object.values(scores));
    const days = kept.map(({ at }) => at.slice(0, 10)).sort();
    const loads = kept.map(({ load }) => load);
    return [String(seed), [...new Set(days)].join(', '), `${Math.min(...loads)}–${Math.max(...loads)}`];
  });
  const versions = Object.entries(results[0]?.versions ?? {}).map(
    ([name, version]) => `\`${name}\` ${version}`,
  );
  const sizes = results.map(
    ({ orders, pace, speed }) =>
      `${orders} orders, ${pace} a second${speed === 1 ? '' : `, ${speed} times faster than in earnest`}`,
  );
  const head = ['seed', 'date', 'load of each processor'];
  const note = isBusy() ? [BUSY, ''] : [];
  return [
    `${[...new Set(sizes)].join('; ')}.`,
    '',
    ...table(head, rows),
    ...note,
    `Packages: ${versions.join(', ')}.`,
    '',
  ].join('\n');
}

function isBusy(): boolean {
  const scores = results.flatMap(({ levels }) => Object.values(levels).flatMap((one) => Object.values(one)));
  return !scores.every(isTimely);
}

function lostAnswers(): string {
  const rows = PACKAGES.map((name) => {
    const probed = results.flatMap(({ probe }) => probe[name] ?? []);
    const values = (of: (one: (typeof probed)[number]) => string | number): string =>
      [...new Set(probed.map(of))].join(' or ');
    return [
      titleOf(name),
      values(({ oneLost }) => oneLost),
      values(({ allLost }) => allLost),
      values(({ idempotencyKey }) => (idempotencyKey ? 'yes' : 'no')),
    ];
  });
  return table(['', 'one answer is lost', 'all are lost', 'idempotency key'], rows).join('\n');
}

function tasks(): string {
  const clients = Object.keys(CLIENTS) as TaskClient[];
  const rows = (Object.keys(TASKS) as Task[]).map((task) => {
    const cells = clients.map((client) => {
      const lines = taskLines(task, client);
      return lines === null ? '–' : `[${lines}](../compare/tasks/${client}/${task}.ts)`;
    });
    return [TASKS[task], ...cells];
  });
  return table(['', ...Object.values(CLIENTS)], rows).join('\n');
}

function levels(): string {
  return `${shownLevels()
    .map((level) => `- **${level}**: ${LEVELS[level].says}`)
    .join('\n')}\n`;
}

function measure(column: string): string {
  const { head, rows } = measureOf(column, new Map(shownLevels().map((level) => [level, resultsOf(level)])));
  return table(head, rows).join('\n');
}

/** Over all levels. */
function cost(): string {
  const { head, rows } = tableOf(shownLevels().flatMap(resultsOf), COST);
  return table(head, rows).join('\n');
}

function shownLevels(): LevelName[] {
  return LEVEL_NAMES.filter((level) => resultsOf(level).length > 0);
}

/** Of each run that had the level, by seed. */
function resultsOf(level: LevelName): Scores[] {
  return results.flatMap(({ levels }: Results) => levels[level] ?? []);
}

function titleOf(name: CompetitorName): string {
  return name === 'darkroom' ? `**${COMPETITORS[name].title}**` : COMPETITORS[name].title;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''];
}
