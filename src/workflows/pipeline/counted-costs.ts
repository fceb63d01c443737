import { proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import { NO_USAGE, subtractUsage } from '../../api/records/usage.ts';
import type { DarkroomActivities } from '../../contract/activities.ts';
import { costsIn } from './projections.ts';
import type { State } from './state.ts';

const { accountedSteps } = proxyLocalActivities<Pick<DarkroomActivities, 'accountedSteps'>>({
  startToCloseTimeout: '30 seconds',
});

/**
 * What every generation has cost. What an earlier run of this id has accounted for in its own result or failure is
 * not charged again: the sums over the runs of an id are the bill.
 */
export async function countedCosts(state: State): Promise<ReturnType<typeof costsIn>> {
  const costs = costsIn(state);
  const { workflowId, runId, firstExecutionRunId } = workflowInfo();
  if (!state.runsAgain && runId === firstExecutionRunId) return costs;
  // Asked for last, so that a Reset of this run asks anew.
  const accounted = await accountedSteps({ workflowId, runId });
  return costs.map(([path, cost]) => {
    const { charged, startedAt, countedBefore } = cost;
    const until = (Object.hasOwn(accounted, path) ? accounted[path] : undefined) ?? -Infinity;
    if (startedAt <= until) return [path, { ...cost, charged: NO_USAGE }];
    const isTold = countedBefore !== undefined && countedBefore.startedAt <= until;
    return isTold ? [path, { ...cost, charged: subtractUsage(charged, countedBefore.usage) }] : [path, cost];
  });
}
