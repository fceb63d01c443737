import { cpus, loadavg } from 'node:os';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { exitAsAsked } from '../src/terminal/exit-codes.ts';
import { withExamples } from '../src/terminal/with-examples.ts';
import type { BenchOptions } from './bench-options.ts';
import { figureTable } from './figure-table.ts';
import type { Figure } from './measure.ts';

type Measure = (options: BenchOptions) => Promise<Figure[]>;

/** What is measured, by the names that it is asked for. */
const PARTS: Readonly<Record<string, () => Promise<Measure>>> = {
  throughput: async () => (await import('./parts/load.ts')).throughput,
  latency: async () => (await import('./parts/latency.ts')).latency,
  cpu: async () => (await import('./parts/load.ts')).cpu,
  cost: async () => (await import('./parts/cost.ts')).cost,
  polling: async () => (await import('./parts/polling.ts')).polling,
  scale: async () => (await import('./parts/scale.ts')).scale,
  pipelines: async () => (await import('./parts/pipelines.ts')).pipelines,
  memory: async () => (await import('./parts/memory.ts')).memory,
  coldstart: async () => (await import('./parts/coldstart.ts')).coldstart,
  receiver: async () => (await import('./receiver.ts')).run,
};

/** Measured only when they are named: they are not about what a generation costs. */
const FURTHER: typeof PARTS = {
  batch: async () => (await import('./batch.ts')).run,
  claims: async () => (await import('./claims.ts')).run,
  emulator: async () => (await import('./emulator.ts')).run,
  'rate-limit': async () => (await import('./rate-limit.ts')).run,
  routing: async () => (await import('./routing.ts')).run,
  survey: async () => (await import('./survey.ts')).run,
};

/** A part of a part. */
const receiver = (part: 'verify' | 'throughput' | 'memory' | 'latency') => async (): Promise<Measure> => {
  const { run } = await import('./receiver.ts');
  return async (options) => await run(options, part);
};

const ALL: typeof PARTS = {
  ...PARTS,
  ...FURTHER,
  'scale.in-flight': async () => (await import('./parts/scale/in-flight.ts')).inFlight,
  'scale.workers': async () => (await import('./parts/scale/workers.ts')).workers,
  'scale.postgresql': async () => (await import('./parts/scale/postgresql.ts')).postgresql,
  'receiver.verify': receiver('verify'),
  'receiver.throughput': receiver('throughput'),
  'receiver.memory': receiver('memory'),
  'receiver.latency': receiver('latency'),
};
const ROUNDS = { full: 5, quick: 2 };

interface Flags {
  json?: boolean;
  rounds?: number;
  quick?: boolean;
}

const program = new Command('bench')
  .description(
    'Measures Darkroom on this machine, each figure against a baseline of the same run. Progress goes to standard error.',
  )
  .addArgument(
    new Argument('[parts...]', `default: ${Object.keys(PARTS).join(', ')}`).choices(Object.keys(ALL)),
  )
  .option('--json', 'one document { figures } on standard output')
  .option('--rounds <count>', `how often each variant is measured (default ${ROUNDS.full})`, count)
  .option('--quick', 'few and small rounds: to see that it works, not for figures')
  .exitOverride(exitAsAsked)
  .action(async (names: string[], { json, rounds, quick = false }: Flags) => {
    const options = { rounds: rounds ?? (quick ? ROUNDS.quick : ROUNDS.full), quick };
    const figures: Figure[] = [];
    for (const name of names.length === 0 ? Object.keys(PARTS) : names) {
      say(`${name}: measuring (${machine()})`);
      const began = performance.now();
      const measure = await ALL[name]?.();
      figures.push(...((await measure?.(options)) ?? []));
      say(`${name}: measured in ${Math.round((performance.now() - began) / 1_000)} s (${machine()})`);
    }
    console.log(json ? JSON.stringify({ figures }) : figureTable(figures));
  });

function count(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('a whole number from 1');
  return number;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** How busy others keep the machine is a part of what a figure means. */
function machine(): string {
  return `${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}`;
}

// With a worker in this process the SDK has handlers of its own, which stop the worker and leave the bench waiting.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => process.exit(code));
}
await withExamples(
  program,
  'npm run bench',
  'npm run bench -- throughput cpu --rounds 9',
  'npm run bench -- latency --json > latency.json',
).parseAsync();
process.exit(0);
