import { type Figure, figure } from '../measure.ts';
import { eventBody, signedHeaders, wireRequest } from './deliveries.ts';
import { sendAll } from './load.ts';
import { startServer } from './server-process.ts';

const PORTION = 40_000;
/** By then as many ids are remembered as ever are, 100,000, and what holds them has grown as large as it gets. */
const FILLING = 5;
const PORTIONS = 5;
const MEGABYTE = 1024 * 1024;

/**
 * How much the heap has grown, after collecting garbage, while 200,000 deliveries came in; before, so many came that
 * all that is remembered has its full size.
 */
export async function measureMemory(): Promise<Figure[]> {
  const server = await startServer('darkroom-server.ts', [String(PORTION)], ['--expose-gc']);
  const heaps: number[] = [];
  try {
    for (let portion = 1; portion <= FILLING + PORTIONS; portion++) {
      const requests = Array.from({ length: PORTION }, (_, i) => {
        const body = eventBody(`task_${i}`);
        return wireRequest(signedHeaders(`msg_${portion}_${i}_p5jXN8AQM9LW`, body, 'both'), body);
      });
      await sendAll(server.port, requests, 64);
      if (portion >= FILLING) heaps.push((await server.usage()).heap / MEGABYTE);
    }
  } finally {
    await server.stop();
  }
  const [before = 0, ...after] = heaps;
  const growth = after.map((heap) => heap - before);
  const { value: _, ...rest } = figure('receiver.memory', growth, {
    unit: 'MB more',
    target: '<= 3',
    baseline: `${before.toFixed(1)} MB after the first ${PORTION * FILLING} deliveries; last value after ${PORTION * PORTIONS} more`,
  });
  return [{ ...rest, value: Number((growth.at(-1) ?? Number.NaN).toFixed(2)) }];
}
