import { addUsage, NO_USAGE } from '../../api/records/usage.ts';
import { pathOfGeneration } from '../../contract/steps/step-ids.ts';
import type { StepsBought, StepsToBill } from '../../contract/steps/step-look.ts';
import { billBelow } from '../../temporal/bill/bill-below.ts';
import type { ActivityDeps } from '../deps.ts';
import { recordPrices } from '../parents/bought-below.ts';
import { toldUntil } from '../parents/told-until.ts';
import { someAtOnce } from '../some-at-once.ts';

/**
 * What the generations of a pipeline have bought since its last run that has told of it: a pipeline waits for all that it
 * has started. Whatever has become of them, and of runs that have told nothing, counts.
 *
 * @throws PRICE_UNKNOWN while the API does not tell what one of them has cost
 */
export async function boughtSteps(
  deps: Pick<ActivityDeps, 'api' | 'temporal' | 'workspaces'>,
  { workflowId, runId, asked = [] }: StepsToBill,
): Promise<StepsBought> {
  const ask = someAtOnce();
  const toldAt = await toldUntil(deps.temporal, { workflowId, runId });
  const { tasks, begun } = await billBelow(deps.temporal, workflowId, ask);
  const untold = tasks.filter(({ isCharged, at }) => isCharged && at > (toldAt ?? -Infinity));
  const { tasks: priced, unsure } = await recordPrices(deps, untold, { since: 0, ask });
  if (unsure !== undefined) throw unsure;
  const charged: StepsBought['charged'] = {};
  const since: NonNullable<StepsBought['since']> = {};
  for (const [id, at] of begun) {
    const path = pathOfGeneration(workflowId, id);
    charged[path] = NO_USAGE;
    since[path] = Math.min(at, since[path] ?? Infinity);
  }
  for (const { workflowId: id, usage } of priced) {
    const path = pathOfGeneration(workflowId, id);
    charged[path] = addUsage(charged[path] ?? NO_USAGE, usage);
  }
  const all = new Set(tasks.map(({ taskId }) => taskId));
  return { toldAt, charged, since, recorded: asked.filter((taskId) => all.has(taskId)) };
}
