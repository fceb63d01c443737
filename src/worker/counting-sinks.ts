import type { InjectedSinks } from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { DarkroomMetrics } from '../activities/metrics.ts';
import type { DarkroomSinks } from '../contract/sinks.ts';

/** What is remembered: a process tells no more in the minutes in which a workflow task may be run again. */
const MOST = 10_000;

/**
 * What runs tell the metrics, each once. A workflow task is run again where the server does not take its end, because
 * something has come meanwhile; and what it tells, it tells again.
 */
export function countingSinks(metrics: DarkroomMetrics): InjectedSinks<DarkroomSinks>['counts'] {
  const told = new Set<string>();
  const once = <Args extends unknown[]>(tell: (...args: Args) => void) => ({
    fn({ runId }: Pick<WorkflowInfo, 'runId'>, name: string, ...args: Args): void {
      const key = `${runId} ${name}`;
      if (told.has(key)) return;
      told.add(key);
      const [oldest = ''] = told;
      if (told.size > MOST) told.delete(oldest);
      tell(...args);
    },
  });
  return {
    attempted: once((report) => metrics.attempted(report)),
    charged: once(({ model, workspace, credits }) => metrics.charged(model, workspace, credits)),
    adopted: once((model) => metrics.adopted(model)),
    asked: once((model) => metrics.asked(model)),
  };
}
