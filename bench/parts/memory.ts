import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions } from '../bench-options.ts';
import { type Figure, figure, median, rounded } from '../measure.ts';
import { Stage } from '../stage/stage.ts';

/** By then a start has left nothing behind (milliseconds). */
const IDLE = 10_000;

/** What a worker with its receiver takes that has nothing to do, in all its processes. */
export async function memory({ rounds }: BenchOptions): Promise<Figure[]> {
  await using stage = await Stage.open();
  const proportional: number[] = [];
  const resident: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const worker = await stage.startWorker('darkroom');
    await sleep(IDLE);
    proportional.push(worker.process.proportional());
    resident.push(worker.process.resident().reduce((sum, one) => sum + one, 0));
    await worker.stop();
  }
  return [
    figure('memory.idle', proportional, {
      unit: 'MB',
      target: '<= 250',
      baseline: `proportional (Pss), ${IDLE / 1_000} s after the start; as a sum of what each process has ${rounded(median(resident))}`,
    }),
  ];
}
