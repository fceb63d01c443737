import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions } from '../bench-options.ts';
import { type Figure, figure, median, rounded } from '../measure.ts';
import type { Emulator } from '../stage/emulator.ts';
import { Stage } from '../stage/stage.ts';

/** Kinds of tasks: which model makes them, and how long they take, in seconds. */
const TASKS = {
  short: { model: 'image-l', between: [4, 12] },
  medium: { model: 'video-d', between: [30, 90] },
  long: { model: 'video-g', between: [180, 480] },
} as const satisfies Record<string, { model: string; between: readonly [number, number] }>;

/** What others poll at, in milliseconds: the SDKs of such APIs have 500 ms, 5 s and 6 s. */
const POLLERS = [500, 5_000, 6_000] as const;
const HOUR = 3_600_000;
/** Tasks of a round, of each kind. */
const TASKS_A_ROUND = 8;

type Kind = keyof typeof TASKS;

interface Watched {
  kind: Kind;
  round: number;
  /** Milliseconds from the task's creation to its end. */
  took: number;
  gets: number;
  /** From the task's end until the caller had the result. */
  delay: number;
  pollers: { gets: number; delay: number }[];
}

/**
 * GETs of a task, and how long its end stays unknown, without webhooks: the default policy, once some tasks of each model have
 * been seen, against pollers at a steady pace. Each task ends by the bench's own clock at a time drawn evenly; what a steady poller does follows from that.
 * Then the same with webhooks, where one GET has to do.
 */
export async function polling({ rounds, quick }: BenchOptions): Promise<Figure[]> {
  await using stage = await Stage.open({ durations: { queue: 0, run: HOUR } });
  const worker = await stage.startWorker('darkroom');
  const kinds = quick ? (['short'] as const) : (['short', 'medium', 'long'] as const);
  await watchAll(stage, 1, kinds); // what each model takes is learned first
  const blind = await watchAll(stage, rounds, kinds);
  await stage.sendWebhooks('darkroom', worker.webhookUrl ?? '');
  const told = await watchAll(stage, rounds, kinds);
  return [...withoutWebhooks(blind, rounds, kinds), ...withWebhooks(told, rounds, kinds)];
}

/** All at the same time: they have nothing to do but to wait. */
async function watchAll(stage: Stage, rounds: number, kinds: readonly Kind[]): Promise<Watched[]> {
  return await Promise.all(
    kinds.flatMap((kind) =>
      Array.from({ length: rounds * TASKS_A_ROUND }, (_, index) => watch(stage, kind, index % rounds)),
    ),
  );
}

async function watch(stage: Stage, kind: Kind, round: number): Promise<Watched> {
  const { model, between } = TASKS[kind];
  const [shortest, longest] = between;
  const took = 1_000 * (shortest + (longest - shortest) * Math.random());
  const handle = await stage.generate('darkroom', { model });
  const result = handle.result().then(() => Date.now());
  const { id, createdAt } = await boughtBy(stage.emulator, handle.workflowId);
  await sleep(Math.max(0, Date.parse(createdAt) + took - Date.now()));
  const ended = Date.now();
  await stage.emulator.finish(id);
  const delay = (await result) - ended;
  const { gets } = await stage.emulator.task(id);
  const pollers = POLLERS.map((pause) => {
    const polls = Math.ceil(took / pause);
    return { gets: polls, delay: polls * pause - took };
  });
  return { kind, round, took, gets, delay, pollers };
}

async function boughtBy(emulator: Emulator, workflowId: string): Promise<{ id: string; createdAt: string }> {
  for (;;) {
    const [task] = await emulator.tasksOf(workflowId);
    if (task !== undefined) return task;
    await sleep(50);
  }
}

function withoutWebhooks(watched: readonly Watched[], rounds: number, kinds: readonly Kind[]): Figure[] {
  const figures = kinds.flatMap((kind) => {
    const [shortest, longest] = TASKS[kind].between;
    const own = watched.filter((one) => one.kind === kind);
    const compared = POLLERS.map((pause, index) => {
      const gets = median(own.map(({ pollers }) => pollers[index]?.gets ?? 0));
      const delay = median(own.map(({ pollers, took }) => (pollers[index]?.delay ?? 0) / took));
      return `every ${pause / 1_000} s ${rounded(gets)} GETs and ${percent(delay)}`;
    });
    const gets = median(own.map((one) => one.gets));
    const delay = median(own.map((one) => one.delay / one.took));
    const baseline = `tasks of ${shortest} to ${longest} s, medians: ${compared.join('; ')}; Darkroom ${rounded(gets)} GETs and ${percent(delay)}`;
    return [
      figure(
        `polling.gets.${kind}`,
        perRound(
          own,
          rounds,
          (some) => sum(some, ({ pollers }) => pollers[0]?.gets ?? 0) / sum(some, (one) => one.gets),
        ),
        { unit: 'times fewer than every 0.5 s', target: '>= 4.5', baseline },
      ),
      figure(
        `polling.delay.${kind}`,
        perRound(own, rounds, (some) => median(some.map((one) => one.delay / one.took))),
        { unit: "of the task's duration", target: '<= 0.12', baseline },
      ),
    ];
  });
  return [worst('polling.gets', figures, Math.min), worst('polling.delay', figures, Math.max), ...figures];
}

function withWebhooks(watched: readonly Watched[], rounds: number, kinds: readonly Kind[]): Figure[] {
  return kinds.map((kind) => {
    const own = watched.filter((one) => one.kind === kind);
    const delay = median(own.map((one) => one.delay));
    return figure(
      `polling.gets.webhooks.${kind}`,
      perRound(own, rounds, (some) => sum(some, (one) => one.gets) / some.length),
      {
        unit: 'GETs a task',
        target: '= 1',
        baseline: `with webhooks; from the task's end to the result ${Math.round(delay)} ms`,
      },
    );
  });
}

/** The kind of task that it is worst for stands for all. */
function worst(name: string, figures: readonly Figure[], pick: (...values: number[]) => number): Figure {
  const own = figures.filter((one) => one.name.startsWith(`${name}.`));
  const value = pick(...own.map((one) => one.value));
  const found = own.find((one) => one.value === value);
  if (found === undefined) throw new Error(`nothing was measured for ${name}`);
  return { ...found, name };
}

function perRound(all: readonly Watched[], rounds: number, of: (some: Watched[]) => number): number[] {
  return Array.from({ length: rounds }, (_, round) => of(all.filter((one) => one.round === round)));
}

function sum(all: readonly Watched[], of: (one: Watched) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} % late`;
}
