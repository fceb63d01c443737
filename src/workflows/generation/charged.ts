import { workflowInfo } from '@temporalio/workflow';
import { addUsage, NO_USAGE, type Usage } from '../../api/usage.ts';
import { local } from './activities.ts';
import type { GenerationRun } from './run.ts';

/**
 * What this very run has bought: the tasks in its account without those that an earlier run of the id has accounted
 * for. To be asked at the very end: before it, a Reset could make a first run of a re-run, whose history has no such
 * question at that place.
 *
 * @param revision of the run's commands: one of release 0.1 asks nobody
 */
export async function chargedBy(run: GenerationRun, revision: number): Promise<Usage> {
  const { runId, firstExecutionRunId } = workflowInfo();
  const { earlierRun } = run.request;
  // What was recorded comes first: a history that is replayed elsewhere does not tell the id of its run.
  const isRerun = run.isRerun || runId !== firstExecutionRunId || earlierRun !== undefined;
  const usage = run.usage();
  if (!isRerun || usage.total === 0 || revision === 1) return usage;
  const accounted = new Set(await local.accountedTasks(earlierRun === undefined ? {} : { earlierRun }));
  const tasks = [...run.attempts, ...(run.task === undefined ? [] : [run.task])];
  return tasks
    .filter(({ taskId }) => taskId === null || !accounted.has(taskId))
    .reduce((sum, task) => addUsage(sum, task.usage), NO_USAGE);
}
