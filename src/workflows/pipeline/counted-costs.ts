import { proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import { NO_USAGE, subtractUsage, type Usage } from '../../api/records/usage.ts';
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
export async function countedCosts(state: State): Promise<{ usage: Usage; charged: Usage }[]> {
  const costs = costsIn(state);
  const { workflowId, runId, firstExecutionRunId } = workflowInfo();
  if (!state.runsAgain && runId === firstExecutionRunId) return costs.map(([, cost]) => cost);
  // Asked for last, so that a Reset of this run asks anew.
  const accounted = await accountedSteps({ workflowId, runId });
  return costs.map(([path, { usage, charged, startedAt, countedBefore }]) => {
    const until = (Object.hasOwn(accounted, path) ? accounted[path] : undefined) ?? -Infinity;
    if (startedAt <= until) return { usage, charged: NO_USAGE };
    const isTold = countedBefore !== undefined && countedBefore.startedAt <= until;
    return { usage, charged: isTold ? subtractUsage(charged, countedBefore.usage) : charged };
  });
}
