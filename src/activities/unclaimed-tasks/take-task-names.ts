import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { TakenName, TaskName, TaskReceiver } from '../../contract/entities/task-notices.ts';
import { DarkroomTaskId } from '../../contract/search-attributes.ts';
import { cutSummary } from '../../contract/summary.ts';
import { TAKEN_FOR, takenTaskId } from '../../contract/workflow-ids.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import type { ActivityDeps } from '../deps.ts';
import { eachAtOnce } from '../some-at-once.ts';

type TakeDeps = Pick<ActivityDeps, 'temporal' | 'taskQueue'>;

/** So often a task's name is followed by another one. */
const MAX_FORMER = 100;

/**
 * Takes the names of tasks in the namespace, each for the run that is to get the task: of several that may get it, which
 * visibility does not show in time, the server lets one start the workflow of its name. That run may ask for it again. The
 * server lets one start the name that follows, too: another run of the same workflow id at any time, anybody else's where
 * no run of that purchase goes on or has the task.
 */
export async function takeTaskNames(deps: TakeDeps, names: readonly TaskName[]): Promise<TakenName[]> {
  const taken: TakenName[] = [];
  await eachAtOnce(names, async (name) => {
    taken.push(await takeTaskName(deps, name));
  });
  return taken;
}

/** The same for one. Whatever keeps it from being taken, it may be for good: it must not keep others waiting. */
export async function takeTaskName(deps: TakeDeps, name: TaskName): Promise<TakenName> {
  const { taskId, workflowId, runId } = name;
  const unreadable = (reason: string): TakenName => ({ taskId, kind: 'unreadable', reason });
  try {
    let id = takenTaskId(taskId);
    for (let former = 0; former < MAX_FORMER; former += 1) {
      if (await isStarted(deps, id, name)) return { taskId, kind: 'ours' };
      const last = await describeRun(deps.temporal, id);
      if (last === undefined) return unreadable(`nobody can tell whom ${id} is for`);
      id = takenTaskId(taskId, last.runId);
      // Where there is none, it is no name of ours, and keeps nobody from the task.
      const holder = last.memo?.[TAKEN_FOR] as TaskReceiver | undefined; // as it is written below
      if (holder?.runId === runId && (await describeRun(deps.temporal, id)) === undefined)
        return { taskId, kind: 'ours' };
      if (typeof holder?.workflowId !== 'string' || holder.workflowId === workflowId) continue;
      if (await keeps(deps, taskId, holder))
        return { taskId, kind: 'other', workflowId: holder.workflowId, taskQueue: last.taskQueue };
    }
    return unreadable(`its name was taken ${MAX_FORMER} times`);
  } catch (error) {
    return unreadable(`its name cannot be taken: ${String(error)}`);
  }
}

/** Whether a run of the same purchase may still take the task, or has it. */
async function keeps(
  { temporal }: TakeDeps,
  taskId: string,
  { workflowId, runId, firstRunId }: TaskReceiver,
): Promise<boolean> {
  const latest = await describeRun(temporal, workflowId);
  const isSame = latest?.raw.workflowExecutionInfo?.firstRunId === firstRunId;
  if (isSame && latest?.closeTime === undefined) return true;
  const named = latest?.runId === runId ? latest : await describeRun(temporal, workflowId, runId);
  return [latest, named].some((run) => run?.typedSearchAttributes.get(DarkroomTaskId) === taskId);
}

/** @returns false where it was there before */
async function isStarted(
  { temporal, taskQueue }: TakeDeps,
  id: string,
  { workflowId, runId, firstRunId }: TaskName,
): Promise<boolean> {
  const holder: TaskReceiver = { workflowId, runId, firstRunId };
  try {
    await temporal.workflow.start('takenTask', {
      workflowId: id,
      taskQueue,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      memo: { [TAKEN_FOR]: holder },
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
