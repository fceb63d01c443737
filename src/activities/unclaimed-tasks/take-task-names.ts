import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { takenTaskId } from '../../contract/workflow-ids.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import type { ActivityDeps } from '../deps.ts';
import { sideBySide } from './side-by-side.ts';

type TakeDeps = Pick<ActivityDeps, 'temporal' | 'taskQueue'>;

/**
 * Takes the names of tasks in the namespace: of several deployments that hear of one task, which visibility does not show
 * in time, the server lets one start the workflow of its name, however often it asks.
 *
 * @returns those that are this deployment's
 */
export async function takeTaskNames(deps: TakeDeps, taskIds: readonly string[]): Promise<string[]> {
  const ours = new Set<string>();
  await sideBySide(taskIds, async (taskId) => {
    if ((await nameOf(deps, taskId)) === deps.taskQueue) ours.add(taskId);
  });
  return taskIds.filter((taskId) => ours.has(taskId));
}

/**
 * Takes a task's name, where no other deployment has it.
 *
 * @returns the task queue of the deployment that has it
 */
export async function nameOf({ temporal, taskQueue }: TakeDeps, taskId: string): Promise<string> {
  const workflowId = takenTaskId(taskId);
  try {
    await temporal.workflow.start('takenTask', {
      workflowId,
      taskQueue,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      // Where no worker knows it: one that has timed out keeps its id all the same.
      workflowExecutionTimeout: '1 day',
      staticSummary: `task ${taskId}: its answer got lost, and this task queue gives it away`,
    });
    return taskQueue;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  const run = await describeRun(temporal, workflowId);
  if (run === undefined) throw new Error(`${workflowId} was there, and is gone: it is asked for again`);
  return run.taskQueue;
}
