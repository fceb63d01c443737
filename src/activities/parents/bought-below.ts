import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { plainUsage } from '../../api/records/usage.ts';
import { GET_TIMEOUT } from '../../contract/limits.ts';
import { type Ask, billBelow } from '../../temporal/bill/bill-below.ts';
import { type BilledTask, isOpen } from '../../temporal/bill/run-bill.ts';
import type { ActivityDeps } from '../deps.ts';
import { stillRunning } from './still-running.ts';

/** So long the API is asked what a task has cost (milliseconds); then the price of its submit counts. */
const PATIENCE = 10 * 60_000;

/** What the generations below a workflow id have bought. */
export interface Bought {
  tasks: BilledTask[];
  /** Why it may not be all, for whoever can wait. */
  unsure: ApplicationFailure | undefined;
}

type Deps = Pick<ActivityDeps, 'api' | 'temporal' | 'workspaces'>;

/** @param since when that workflow ended, in milliseconds since the epoch */
export async function boughtBelow(
  deps: Deps,
  workflowId: string,
  { since, ask }: { since: number; ask: Ask },
): Promise<Bought> {
  const { tasks, running, endedAt } = await billBelow(deps.temporal, workflowId, ask);
  const bought = tasks.filter(({ isCharged }) => isCharged);
  if (running !== undefined) return { tasks: bought, unsure: stillRunning(running) };
  return await recordPrices(deps, bought, { since: Math.max(since, endedAt), ask });
}

/**
 * Tasks with what their records tell of the price of those of which no run has told the end.
 *
 * @param since they have ended, in milliseconds since the epoch
 */
export async function recordPrices(
  { api, workspaces }: Pick<Deps, 'api' | 'workspaces'>,
  tasks: readonly BilledTask[],
  { since, ask }: { since: number; ask: Ask },
): Promise<Bought> {
  const { scheduledTimestampMs } = Context.current().info;
  const isPatient = Date.now() - Math.max(since, scheduledTimestampMs) < PATIENCE;
  let unsure: ApplicationFailure | undefined;
  const priced = tasks.map(async (task) => {
    const access = isOpen(task) ? workspaces.get(task.workspace) : undefined;
    if (access === undefined) return task;
    const answer = await ask(() => api.getGeneration(task.taskId, access, GET_TIMEOUT));
    if (answer.kind === 'unavailable' && isPatient) unsure ??= unpriced(task.taskId, answer.reason);
    return answer.kind === 'record' ? { ...task, usage: plainUsage(answer.record.usage) } : task;
  });
  return { tasks: await Promise.all(priced), unsure };
}

function unpriced(taskId: string, reason: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'PRICE_UNKNOWN',
    message: `the API does not tell now what task ${taskId} has cost: it is asked again: ${reason}`,
    category: ApplicationFailureCategory.BENIGN,
  });
}
