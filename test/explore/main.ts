import { Command, InvalidArgumentError } from 'commander';
import { keepCompiledCode } from '../../src/config/compile-cache.ts';
import { exitAsAsked } from '../../src/terminal/exit-codes.ts';
import { withExamples } from '../../src/terminal/with-examples.ts';
import { cellName } from './cell.ts';
import { chooseCells, explore } from './explore.ts';
import { exploreWithout, isMendName, MEND_NAMES, type MendName } from './without.ts';

// The worker processes load the same modules each time.
keepCompiledCode();

interface Flags {
  only?: string;
  cell?: string;
  shard?: { index: number; of: number };
  sample?: number;
  seed: number;
  times: number;
  sideBySide?: number;
  without?: MendName;
  json?: true;
  list?: true;
}

const whole = (text: string): number => {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('must be a whole number from 1');
  return number;
};

const shard = (text: string): { index: number; of: number } => {
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const read = { index: Number(index), of: Number(of) };
  if (!(read.index >= 1 && read.index <= read.of)) throw new InvalidArgumentError('must be i/n, like 1/4');
  return read;
};

const mend = (text: string): MendName => {
  if (!isMendName(text)) throw new InvalidArgumentError(`must be one of ${MEND_NAMES.join(', ')}`);
  return text;
};

/** `npm run explore`: exits with 0 only where nothing breaks the rule. */
const program = new Command('explore')
  .description('Every act at every moment of every scene, judged by one rule: see test/explore/rule.ts.')
  .option('--only <scene>', 'only scenes with this in their names')
  .option('--cell <scene/moment/act>', 'one cell alone, or with * for any text some')
  .option('--shard <i/n>', 'the i-th of n shares of the cells', shard)
  .option('--sample <n>', 'so many cells, chosen by the seed', whole)
  .option('--seed <n>', 'of the sample', whole, 1)
  .option('--times <n>', 'plays each cell so often', whole, 1)
  .option('--side-by-side <n>', 'cells that are played at once', whole)
  .option(
    '--without <mend>',
    `the cell that has to show it, with sources that lack one: ${MEND_NAMES.join(', ')}`,
    mend,
  )
  .option('--list', 'only names the cells')
  .option('--json', 'one JSON document on standard output')
  // 1 is for an exploration that found something.
  .exitOverride(exitAsAsked)
  .action(async ({ sample, seed, json, list, without, ...options }: Flags) => {
    if (without !== undefined) {
      process.exitCode = await exploreWithout(without, options.cell, options.times);
      return;
    }
    const say = (line: string): void => void process.stderr.write(`${line}\n`);
    const asked = { ...options, sample: sample === undefined ? undefined : { cells: sample, seed }, say };
    if (list === true) {
      const { cells } = await chooseCells(asked);
      for (const cell of cells) process.stdout.write(`${cellName(cell)}\n`);
      return;
    }
    const { violations, ...counts } = await explore(asked);
    const repeated = violations.filter(({ isRepeated }) => isRepeated).length;
    const once = violations.length - repeated;
    say(`${JSON.stringify(counts)}; violations: ${repeated}, ${once} that did not repeat`);
    const { cells } = counts;
    if (json === true) process.stdout.write(`${JSON.stringify({ cells, violations }, null, 2)}\n`);
    process.exitCode = repeated > 0 ? 1 : 0;
  });

/** It could not be explored: that is another thing than a violation. */
const FAILED = 3;

const explorer = withExamples(
  program,
  'npm run explore -- --only happy',
  "npm run explore -- --cell 'happy/after submitTask#1/reset to 1'",
  'npm run explore -- --shard 1/4 --json',
);

try {
  await explorer.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(FAILED);
}
