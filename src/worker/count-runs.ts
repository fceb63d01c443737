import type { Client } from '@temporalio/client';
import type { Registry } from 'prom-client';
import { DarkroomState, NEEDS_A_LOOK } from '../contract/search-attributes.ts';
import { gauge } from '../operations/metrics/create-metrics.ts';
import { countRuns as count } from '../temporal/list-runs.ts';

/** How long a count holds: Prometheus may ask often, and visibility takes few queries a second (milliseconds). */
const LIFE = 15_000;

/**
 * Shows how many open runs need a look, by state. Whoever asks is told the last numbers: that Temporal is away must not
 * keep the other metrics from them.
 */
export function countRuns(registry: Registry, client: Client, taskQueue: string): void {
  let countedAt = -LIFE;
  gauge(registry, 'darkroom_runs', (made) => {
    if (performance.now() - countedAt < LIFE) return;
    countedAt = performance.now();
    for (const state of NEEDS_A_LOOK)
      void count(client, [
        ['TaskQueue', '=', taskQueue],
        ['ExecutionStatus', '=', 'Running'],
        [DarkroomState.name, '=', state],
      ]).then(
        (runs) => made.set({ state }, runs),
        () => undefined, // the number stays
      );
  });
}
