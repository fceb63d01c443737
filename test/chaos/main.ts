import { Command, InvalidArgumentError } from 'commander';
import { keepCompiledCode } from '../../src/config/compile-cache.ts';
import { exitAsAsked } from '../../src/terminal/exit-codes.ts';
import { withExamples } from '../../src/terminal/with-examples.ts';
import { isClean, tableOf } from './report.ts';
import { runStorm } from './storm.ts';
import { isMendName, MEND_NAMES, type MendName } from './without/mends.ts';

// The worker processes load the same modules each time.
keepCompiledCode();

interface Flags {
  generations: number;
  seed?: number;
  json?: true;
  without?: MendName;
  withoutReconcile?: true;
}

const whole = (text: string): number => {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('must be a whole number from 1');
  return number;
};

const mend = (text: string): MendName => {
  if (!isMendName(text)) throw new InvalidArgumentError(`must be one of ${MEND_NAMES.join(', ')}`);
  return text;
};

/** `npm run chaos`: exits with 0 only where nothing was paid twice, lost, stuck, left waiting or torn. */
const chaos = new Command('chaos')
  .description('A seeded storm against the emulator, with real processes that are killed and restarted.')
  .option('--generations <n>', 'logical generations, single ones and steps of pipelines', whole, 1_000)
  .option('--seed <n>', 'repeats the schedule of that seed (default: a new one)', whole)
  .option('--json', 'one JSON document on standard output')
  .option(
    '--without <mend>',
    `with workers that lack one: the storm has to see it; ${MEND_NAMES.join(', ')}`,
    mend,
  )
  .option('--without-reconcile', 'the same as --without reconcile')
  // 1 is for a storm that found something.
  .exitOverride(exitAsAsked)
  .action(async ({ generations, seed, json, without, withoutReconcile }: Flags) => {
    const say = (line: string): void => void process.stderr.write(`${line}\n`);
    const { report, findings, folder } = await runStorm({
      generations,
      seed: seed ?? Math.floor(Math.random() * 1_000_000) + 1,
      without: without ?? (withoutReconcile ? 'reconcile' : undefined),
      say,
    });
    (json === true ? process.stderr : process.stdout).write(tableOf(report));
    if (json === true) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    for (const finding of findings) say(finding);
    if (findings.length > 0) say(`logs, databases and what explains it are kept in ${folder}`);
    process.exitCode = isClean(report) ? 0 : 1;
  });

await withExamples(chaos, 'npm run chaos', 'npm run chaos -- --generations 100 --seed 7').parseAsync();
