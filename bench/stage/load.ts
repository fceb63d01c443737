import { setTimeout as sleep } from 'node:timers/promises';
import type { Measured } from './program.ts';
import type { Stage } from './stage.ts';

export interface Load {
  generations: number;
  /** In flight at the same time; the next one starts when one is done. */
  atOnce: number;
}

/** What one portion of generations took. Processor times in milliseconds a generation. */
export interface LoadSample {
  perSecond: number;
  server: number;
  worker: number;
  emulator: number;
}

/** What follows the end of a generation counts as its cost too: `task.created` is looked into 2 s after it came. */
const AFTERWARDS = 3_000;

/**
 * Runs a portion of generations as fast as they go, and reads what the processes have used for it.
 *
 * @param work starts one and waits for its result
 */
export async function measureLoad(
  stage: Stage,
  workers: readonly Measured[],
  load: Load,
  work: () => Promise<unknown>,
): Promise<LoadSample> {
  const read = (): { server: number; worker: number; emulator: number } => ({
    server: stage.temporal.process.cpu(),
    worker: workers.reduce((sum, worker) => sum + worker.cpu(), 0),
    emulator: stage.emulator.process.cpu(),
  });
  const before = read();
  const seconds = await runAtOnce(load, work);
  await sleep(AFTERWARDS);
  const after = read();
  const each = (part: keyof typeof before): number => (after[part] - before[part]) / load.generations;
  return {
    perSecond: load.generations / seconds,
    server: each('server'),
    worker: each('worker'),
    emulator: each('emulator'),
  };
}

/** @returns the seconds that it took */
export async function runAtOnce(
  { generations, atOnce }: Load,
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < generations) await work(next++);
    }),
  );
  return (performance.now() - start) / 1_000;
}
