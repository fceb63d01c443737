import type { Client } from '@temporalio/client';
import type { Registry } from 'prom-client';
import { DarkroomState, NEEDS_A_LOOK } from '../contract/search-attributes.ts';
import { gauge } from '../operations/metrics/create-metrics.ts';
import { countRuns as count } from '../temporal/list-runs.ts';

/** How long a count holds: Prometheus may ask often, and visibility takes few queries a second (milliseconds). */
const LIFE = 15_000;

/** Shows how many open runs need a look, by state. What cannot be counted now keeps its last number. */
export function countRuns(registry: Registry, client: Client, taskQueue: string): void {
  let countedAt = -LIFE;
  gauge(registry, 'darkroom_runs', async (made) => {
    if (performance.now() - countedAt < LIFE) return;
    countedAt = performance.now();
    for (const state of NEEDS_A_LOOK) {
      const runs = await count(client, [
        ['TaskQueue', '=', taskQueue],
        ['ExecutionStatus', '=', 'Running'],
        [DarkroomState.name, '=', state],
      ]).catch(() => undefined);
      if (runs !== undefined) made.set({ state }, runs);
    }
  });
}
