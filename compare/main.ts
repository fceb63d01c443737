import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { exitAsAsked } from '../src/terminal/exit-codes.ts';
import { withExamples } from '../src/terminal/with-examples.ts';
import { installPackages } from '../tools/install-packages.ts';
import { differencesFrom, mistakesOfTypes } from './check.ts';
import { type CompetitorName, NAMES } from './contest/competitors.ts';
import { runLevel } from './contest/level-run.ts';
import { LEVEL_NAMES, type LevelName } from './contest/levels.ts';
import { probe } from './contest/probe.ts';
import { keep, type Results, type Scores } from './report/results.ts';
import { forTerminal } from './report/terminal.ts';

interface Flags {
  seed: number;
  orders: number;
  pace: number;
  speed: number;
  levels: LevelName[];
  only: CompetitorName[];
  json?: true;
  write?: true;
  check?: true;
}

/** What `--check` runs: small, and with tasks that are quick. */
const CHECK = {
  seed: 7,
  orders: 20,
  pace: 20,
  speed: 8,
  levels: ['lost answers', 'caller killed'] as LevelName[],
};
const AWAY = 60_000;
const PATIENCE = 180_000;

const whole = (text: string): number => {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('must be a whole number from 1');
  return number;
};

/** `npm run compare`: the same orders, faults and kills for the packages that people use, and for Darkroom. */
const compare = new Command('compare')
  .description('Compares what becomes of the same paid generations with other packages and with Darkroom.')
  .option('--seed <n>', 'what goes wrong with which order follows from it', whole, 7)
  .option('--orders <n>', 'generations for each competitor and level', whole, 200)
  .option('--pace <n>', 'orders a second for each competitor', whole, 3)
  .option('--speed <n>', 'how many times faster than the real thing tasks are', whole, 1)
  .addOption(new Option('--levels <names...>', 'only these').choices(LEVEL_NAMES).default(LEVEL_NAMES, 'all'))
  .addOption(new Option('--only <names...>', 'only these competitors').choices(NAMES).default(NAMES, 'all'))
  .option('--json', 'one JSON document on standard output: Results in compare/report/results.ts')
  .option(
    '--write',
    'keep the results in compare/results, of which README.md and docs/comparison.md are made',
  )
  .option('--check', 'a small one that fails where Darkroom or a package does otherwise than kept')
  // 1 is for a check that found something.
  .exitOverride(exitAsAsked)
  .action(async (flags: Flags) => {
    const options = flags.check === true ? { ...flags, ...CHECK } : flags;
    const results = await run(options, (made) => options.write === true && keep(made));
    if (options.json === true) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
    else process.stdout.write(forTerminal(results));
    if (options.check !== true) return;
    const differences = [...differencesFrom(results), ...(await mistakesOfTypes())];
    for (const difference of differences) say(difference);
    process.exitCode = differences.length > 0 ? 1 : 0;
  });

/** @param made is told after each level, so that a run that is stopped has not run for nothing */
async function run(
  { seed, orders, pace, speed, levels, only }: Flags,
  made: (results: Results) => unknown,
): Promise<Results> {
  const versions = await installPackages(import.meta.dirname, say);
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-compare-'));
  const results: Results = {
    seed,
    orders,
    pace,
    speed,
    versions,
    probe: await probe(folder, speed),
    levels: {},
  };
  for (const level of levels) {
    const common = { seed, orders, pace, speed, folder, away: AWAY, patience: PATIENCE, say };
    const scores = await runLevel({ ...common, level, names: only });
    const load = Math.round((10 * (loadavg()[0] ?? 0)) / cpus().length) / 10;
    const at = new Date().toISOString();
    const kept = [...scores].map(([name, score]) => [name, { ...score, at, load }]);
    results.levels[level] = Object.fromEntries(kept) as Scores;
    made(results);
  }
  await rm(folder, { recursive: true, force: true });
  return results;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

await withExamples(compare, 'npm run compare -- --seed 7', 'npm run compare -- --check').parseAsync();
process.exit();
