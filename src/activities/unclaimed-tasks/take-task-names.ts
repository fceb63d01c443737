import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { TakenName, TaskName } from '../../contract/entities/task-notices.ts';
import { cutSummary } from '../../contract/summary.ts';
import { TAKEN_FOR, takenTaskId } from '../../contract/workflow-ids.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import type { ActivityDeps } from '../deps.ts';
import { sideBySide } from './side-by-side.ts';

type TakeDeps = Pick<ActivityDeps, 'temporal' | 'taskQueue'>;

/**
 * Takes the names of tasks in the namespace, each for the workflow id that is to get the task: of several deployments that
 * hear of one task, which visibility does not show in time, the server lets one start the workflow of its name. That
 * workflow id may ask for it again, from whatever task queue.
 */
export async function takeTaskNames(deps: TakeDeps, names: readonly TaskName[]): Promise<TakenName[]> {
  const taken: TakenName[] = [];
  await sideBySide(names, async (name) => {
    taken.push(await takeTaskName(deps, name));
  });
  return taken;
}

/** The same for one. Whatever keeps it from being taken, it may be for good: it must not keep others waiting. */
export async function takeTaskName(deps: TakeDeps, name: TaskName): Promise<TakenName> {
  const { taskId, workflowId } = name;
  try {
    if (await isStarted(deps, name)) return { taskId, kind: 'ours' };
    const run = await describeRun(deps.temporal, takenTaskId(taskId));
    const takenFor = run?.memo?.[TAKEN_FOR];
    if (takenFor === workflowId) return { taskId, kind: 'ours' };
    if (run === undefined || typeof takenFor !== 'string')
      return { taskId, kind: 'unreadable', reason: `nobody can tell whom ${takenTaskId(taskId)} is for` };
    const other = await describeRun(deps.temporal, takenFor);
    const isOpen = other !== undefined && other.closeTime === undefined;
    return { taskId, kind: 'other', workflowId: takenFor, taskQueue: run.taskQueue, isOpen };
  } catch (error) {
    return { taskId, kind: 'unreadable', reason: `its name cannot be taken: ${String(error)}` };
  }
}

/** @returns false where it was there before */
async function isStarted(
  { temporal, taskQueue }: TakeDeps,
  { taskId, workflowId }: TaskName,
): Promise<boolean> {
  try {
    await temporal.workflow.start('takenTask', {
      workflowId: takenTaskId(taskId),
      taskQueue,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      memo: { [TAKEN_FOR]: workflowId },
      // Where no worker knows it: one that has timed out keeps its id all the same.
      workflowExecutionTimeout: '1 day',
      staticSummary: cutSummary(`the task of a lost answer, kept for ${workflowId}`),
    });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
