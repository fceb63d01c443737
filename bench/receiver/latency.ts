import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, figure, median, percentile, rounded } from '../measure.ts';
import { type LatencyWorld, openLatencyWorld } from './latency-world.ts';

const ROUNDS = 5;
const IDLE_RUNS = 20;
const CAPACITY_RUNS = 300;
const AT_ONCE = 40;
const LOADED_SECONDS = 4;
const LOAD = 0.8;

/**
 * From the acceptance of a delivery until the caller holds the workflow's result: one at a time, and at 80 % of
 * the runs a second that this machine manages; against a workflow that polls every 500 ms.
 */
export async function measureLatency(): Promise<Figure[]> {
  const world = await openLatencyWorld();
  try {
    await inRow(world, IDLE_RUNS, woken);
    const idle = await rounds(() => inRow(world, IDLE_RUNS, woken));
    const polled = await rounds(() => inRow(world, IDLE_RUNS, polledEvery500));
    const capacity = await runsPerSecond(world);
    const loaded = await rounds(() => atRate(world, capacity * LOAD));
    const compared = `a poller at 500 ms: p50 ${rounded(median(polled.flat()))} ms, p99 ${rounded(percentile(polled.flat(), 0.99))} ms`;
    const load = `at ${LOAD} of ${rounded(capacity)} runs/s`;
    const milliseconds = { unit: 'ms', baseline: compared };
    return [
      figure('receiver.latency', idle.map(median), { ...milliseconds, target: '<= 30' }),
      figure('receiver.latency.p99', idle.map(p99), milliseconds),
      figure('receiver.latency.loaded', loaded.map(median), {
        ...milliseconds,
        baseline: `${compared}; ${load}`,
      }),
      figure('receiver.latency.loaded.p99', loaded.map(p99), {
        ...milliseconds,
        baseline: `${compared}; ${load}`,
      }),
    ];
  } finally {
    await world.close();
  }
}

function p99(values: readonly number[]): number {
  return percentile(values, 0.99);
}

async function rounds(measure: () => Promise<number[]>): Promise<number[][]> {
  const values: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) values.push(await measure());
  return values;
}

let tasks = 0;

type Run = (world: LatencyWorld, settleFirst: boolean) => Promise<number>;

/** One run, and its latency in milliseconds. `settleFirst` lets the workflow get to its wait. */
const woken: Run = async (world, settleFirst) => {
  const taskId = `task_${++tasks}`;
  const workflowId = `bench/${taskId}`;
  const { client, taskQueue, routes, completed } = world;
  const handle = await client.workflow.start('wokenByEvent', { workflowId, taskQueue, args: [taskId] });
  routes.register({ workspace: 'default', taskId }, workflowId);
  const result = handle.result().then(() => performance.now());
  if (settleFirst) await sleep(50);
  completed.add(taskId);
  await world.deliver(taskId);
  const accepted = performance.now();
  return Math.max(0, (await result) - accepted);
};

const polledEvery500: Run = async ({ client, taskQueue, completed }) => {
  const taskId = `task_${++tasks}`;
  const workflowId = `bench/${taskId}`;
  const handle = await client.workflow.start('polling', { workflowId, taskQueue, args: [taskId] });
  const result = handle.result().then(() => performance.now());
  // Tasks end at any time between two polls.
  await sleep(100 + Math.random() * 500);
  completed.add(taskId);
  const ended = performance.now();
  return (await result) - ended;
};

async function inRow(world: LatencyWorld, runs: number, run: Run): Promise<number[]> {
  const latencies: number[] = [];
  for (let i = 0; i < runs; i++) latencies.push(await run(world, true));
  return latencies;
}

async function runsPerSecond(world: LatencyWorld): Promise<number> {
  const start = performance.now();
  let left = CAPACITY_RUNS;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await woken(world, false);
    }),
  );
  return CAPACITY_RUNS / ((performance.now() - start) / 1_000);
}

/** Runs that start at a steady rate, whether the earlier ones have ended or not. */
async function atRate(world: LatencyWorld, perSecond: number): Promise<number[]> {
  const runs: Promise<number>[] = [];
  const start = performance.now();
  for (let i = 0; i < perSecond * LOADED_SECONDS; i++) {
    await sleep(Math.max(0, start + (i * 1_000) / perSecond - performance.now()));
    runs.push(woken(world, false));
  }
  return Promise.all(runs);
}
