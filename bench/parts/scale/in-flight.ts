import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions } from '../../bench-options.ts';
import { type Figure, figure, ratios, rounded } from '../../measure.ts';
import { progress } from '../../progress.ts';
import { CONTENDERS, type ContenderName } from '../../stage/contenders.ts';
import { runAtOnce } from '../../stage/load.ts';
import { type Contender, Stage } from '../../stage/stage.ts';

const HOUR = 3_600_000;
/** Portions in which the generations in flight end, in turns with those of the worker by hand. */
const PORTIONS = 5;
const LOOK_EVERY = 250;
const LOOK_AT_MEMORY_EVERY = 1_000;

/**
 * Callers who have ten thousand in flight rely on webhooks: by the default policy each run would poll every two minutes
 * at last, 83 times a second together.
 */
const POLICY = { deadline: '12h', polling: { first: '6h', max: '6h' } };

/** Many generations in flight on one worker: its memory, and how long they take when their webhooks come at once. */
export async function inFlight({ quick }: BenchOptions): Promise<Figure[]> {
  const count = quick ? 250 : 10_000;
  await using stage = await Stage.open({ durations: { queue: 0, run: 12 * HOUR } });
  const darkroom = await stage.start('darkroom');
  const byhand = await stage.start('byhand');
  const most = { darkroom: 0, byhand: 0 };
  const look = (): void => {
    most.darkroom = Math.max(most.darkroom, sum(darkroom.process.resident()));
    most.byhand = Math.max(most.byhand, sum(byhand.process.resident()));
  };
  const looking = setInterval(look, LOOK_AT_MEMORY_EVERY);
  await fill(stage, darkroom, count);
  await fill(stage, byhand, count);
  const drained = { darkroom: [] as number[], byhand: [] as number[] };
  const tasks = { darkroom: await idsOf(stage, 'darkroom'), byhand: await idsOf(stage, 'byhand') };
  for (let portion = 0; portion < PORTIONS; portion++) {
    const order = ['darkroom', 'byhand'] as const;
    for (const name of portion % 2 === 0 ? order : order.toReversed()) {
      const ids = tasks[name].splice(0, count / PORTIONS);
      drained[name].push(await drain(stage, name, ids));
    }
  }
  clearInterval(looking);
  look();
  const [main = 0, ...others] = darkroom.process.resident();
  return [
    {
      ...figure('scale.memory', [most.darkroom], {
        unit: 'MB of worker memory at most',
        target: '<= 600',
        baseline: `${count} in flight; at the end the worker ${rounded(main)} MB, the processes that look into files ${others.map(rounded).join(' and ')} MB; by hand ${rounded(most.byhand)} MB at most`,
      }),
    },
    figure('scale.drain', ratios(drained.darkroom, drained.byhand), {
      unit: "of by hand's time",
      baseline: `${count} that end in ${PORTIONS} portions, all webhooks of one at once: Darkroom ${rounded(sum(drained.darkroom))} s in all, by hand ${rounded(sum(drained.byhand))} s`,
    }),
  ];
}

/** Starts that many and waits until all are bought. */
async function fill(stage: Stage, { name }: Pick<Contender, 'name'>, count: number): Promise<void> {
  progress(`${name}: starting ${count} generations`);
  const before = await stage.emulator.countTasks();
  await runAtOnce({ generations: count, atOnce: 50 }, () => stage.generate(name, { policy: POLICY }));
  while ((await stage.emulator.countTasks()) < before + count) await sleep(LOOK_EVERY);
}

async function idsOf({ emulator }: Stage, name: ContenderName): Promise<string[]> {
  return (await emulator.tasksIn(CONTENDERS[name].workspace)).map(({ id }) => id);
}

/** @returns seconds from the first task's end until no run is left of them */
async function drain(stage: Stage, name: ContenderName, ids: readonly string[]): Promise<number> {
  const { workflow } = CONTENDERS[name];
  const running = async (): Promise<number> =>
    (await stage.client.workflow.count(`WorkflowType = '${workflow}' AND ExecutionStatus = 'Running'`)).count;
  progress(`${name}: ${ids.length} end at once`);
  const left = (await running()) - ids.length;
  const began = performance.now();
  await runAtOnce({ generations: ids.length, atOnce: 32 }, (index) =>
    stage.emulator.finish(ids[index] ?? ''),
  );
  while ((await running()) > left) await sleep(LOOK_EVERY);
  return (performance.now() - began) / 1_000;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
