import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import proto from '@temporalio/proto';
import { submitQueue } from '../../src/contract/tasks/submit-queue.ts';
import type { BenchOptions } from '../bench-options.ts';
import { type Figure, figure, interleave, median, rounded } from '../measure.ts';
import { progress } from '../progress.ts';
import { type ContenderName, taskQueueOf } from '../stage/contenders.ts';
import { startProgram } from '../stage/program.ts';
import { Stage } from '../stage/stage.ts';

const { TaskQueueType } = proto.temporal.api.enums.v1;
const BUILD = fileURLToPath(new URL('../../tools/build/build.ts', import.meta.url));
const BUILT = fileURLToPath(new URL('../../dist/starter.js', import.meta.url));
const DEMO = fileURLToPath(new URL('../../src/local/main.ts', import.meta.url));

/** How long it takes until a worker polls, and until `npm start` has made three files. */
export async function coldstart(options: BenchOptions): Promise<Figure[]> {
  return [...(await worker(options)), ...(await demo(options))];
}

/**
 * From the process's start until the server has seen its first poll for workflow tasks and for submits: of the package as it
 * is published, and from a clone, whose TypeScript Node reads anew at each start.
 */
async function worker({ rounds }: BenchOptions): Promise<Figure[]> {
  progress('building the package');
  await promisify(execFile)(process.execPath, [BUILD]);
  await using stage = await Stage.open();
  const samples = await interleave(rounds, {
    built: () => secondsToFirstPoll(stage, 'darkroom', [BUILT, 'worker']),
    clone: () => secondsToFirstPoll(stage, 'darkroom'),
    byhand: () => secondsToFirstPoll(stage, 'byhand'),
  });
  const byhand = { baseline: `by hand: ${rounded(median(samples.byhand))} s` };
  return [
    figure('coldstart.worker', samples.built, {
      unit: 's to the first poll, of the package',
      ...byhand,
    }),
    figure('coldstart.worker.clone', samples.clone, { unit: 's to the first poll, of a clone', ...byhand }),
  ];
}

async function secondsToFirstPoll(
  stage: Stage,
  name: ContenderName,
  program?: readonly string[],
): Promise<number> {
  const began = Date.now();
  const starting = stage.startWorker(name, { program });
  const queue = taskQueueOf(name);
  const polls = [
    polledSince(stage, queue, TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW, began),
    ...(name === 'darkroom'
      ? [polledSince(stage, submitQueue(queue), TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY, began)]
      : [polledSince(stage, queue, TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY, began)]),
  ];
  const at = await Promise.all(polls);
  await (await starting).stop();
  return (Math.max(...at) - began) / 1_000;
}

/** @returns when the first poll since then was seen, in milliseconds since the epoch */
async function polledSince(
  { client, temporal }: Stage,
  name: string,
  taskQueueType: proto.temporal.api.enums.v1.TaskQueueType,
  since: number,
): Promise<number> {
  for (;;) {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace: temporal.namespace,
      taskQueue: { name },
      taskQueueType,
    });
    const seen = (pollers ?? []).map(
      ({ lastAccessTime: at }) => Number(at?.seconds ?? 0) * 1_000 + (at?.nanos ?? 0) / 1e6,
    );
    const fresh = seen.filter((at) => at >= since);
    if (fresh.length > 0) return Math.min(...fresh);
    await sleep(10);
  }
}

/** What `npm start` says when it has come so far; the last one ends it. */
const PHASES: readonly { name: string; says: RegExp }[] = [
  { name: 'first line', says: /^Darkroom:/ },
  { name: 'everything runs', says: /^ {2}Webhooks/ },
  { name: 'picture', says: /^still .*: completed/ },
  { name: 'upscaled', says: /^large .*: completed/ },
  { name: 'film', says: /^clip .*: completed/ },
  { name: 'end', says: /npm run dev$/ },
];
const SIMULATED = /: ([\d.]+) s the emulator's simulated work/;

/** `npm start` with the server in the cache, by phase. Its three tasks take their own time, which is told apart. */
async function demo({ rounds }: BenchOptions): Promise<Figure[]> {
  const totals: number[] = [];
  const phases: number[][] = [];
  const simulated: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const reached: number[] = [];
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-bench-'));
    const began = performance.now();
    const run = await startProgram([DEMO, 'start'], { DARKROOM_OUTPUTS: folder }, (line) => {
      const phase = PHASES.findIndex(({ says }) => says.test(line));
      if (phase >= 0) reached[phase] = (performance.now() - began) / 1_000;
      simulated.push(...(SIMULATED.exec(line)?.slice(1).map(Number) ?? []));
      return phase === PHASES.length - 1;
    });
    await run.stop();
    await rm(folder, { recursive: true });
    totals.push(reached.at(-1) ?? Number.NaN);
    phases.push(reached);
  }
  const words = PHASES.map(
    ({ name }, index) => `${name} ${median(phases.map((one) => one[index] ?? 0)).toFixed(1)}`,
  );
  return [
    figure('coldstart.demo', totals, {
      unit: 's of npm start',
      baseline: `seconds from its start: ${words.join(', ')}; ${median(simulated).toFixed(1)} of them are the emulated tasks' own`,
    }),
  ];
}
