import { Context } from '@temporalio/activity';
import { NO_USAGE, usageOf } from '../../api/records/usage.ts';
import type { EarlierRun } from '../../contract/activities.ts';
import { provenIn } from '../../temporal/bill/proven-tasks.ts';
import { toldBy } from '../../temporal/bill/told-end.ts';
import type { HistoryEvent } from '../../temporal/history.ts';
import type { ActivityDeps } from '../deps.ts';
import { deletedRun } from './deleted-run.ts';
import { readEarlierRuns } from './read-earlier-runs.ts';

/**
 * The tasks that earlier runs of this workflow id have accounted for in their results or failures: what they cost is
 * not this run's to count, so that the sum of `charged` over the runs is the bill. A run that was terminated, by a
 * Reset for example, has told nobody: the run that goes on counts for it. One that was cancelled has told it in its
 * memo, but for the step of a pipeline.
 *
 * @param earlierRun a run that the request names as an earlier one
 * @param parent whose histories may tell of a run that is deleted
 */
export async function accountedTasks(
  deps: Pick<ActivityDeps, 'temporal' | 'children'>,
  { earlierRun, parent }: EarlierRun,
): Promise<string[]> {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  const { runs } = await readEarlierRuns(deps.temporal, workflowId, runId, earlierRun);
  const told = parent === undefined ? undefined : await deletedRun(deps, parent, earlierRun !== undefined);
  const toldTasks = told?.kind === 'failed' && told.isTold ? told.purchases.taskIds : [];
  return [...new Set([...runs.flatMap(({ events }) => accountOf(events)), ...toldTasks])];
}

/** The tasks in the account that a run gives; one that was cancelled as a step leaves that to its pipeline. */
function accountOf(events: readonly HistoryEvent[]): string[] {
  const { attempts = [], usage = NO_USAGE, taskId = null, charged } = toldBy(events);
  if (charged === undefined) return [];
  // The task that goes on counts where its price was known by then.
  const held = usage.total > usageOf(attempts).total ? taskId : null;
  // What was proven, and ran on, counts in an attempt that does not name it.
  const isUnnamed = attempts.some((attempt) => attempt.outcome === 'unknown' && attempt.usage.total > 0);
  const proven = isUnnamed ? provenIn(events).keys() : [];
  return [...[...attempts, { taskId: held }].flatMap((task) => task.taskId ?? []), ...proven];
}
