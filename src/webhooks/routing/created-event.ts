import type { CreatedTask } from '../../contract/entities/task-notices.ts';
import type { EventRouting } from './event-routing.ts';
import type { Outcome } from './outcome.ts';
import { reasonOf } from './reason-of.ts';

/**
 * What becomes of the first event of a task: `task.created`, or `task.started` where that one was lost. Waits whether a
 * workflow tells this process that it holds the task, or Temporal itself shows one that does. If neither does, or
 * visibility does not answer, `unclaimed-tasks/<workspace>` gets to know the task. That this process got the submit's
 * answer is not enough: in an outage the answer may never reach its workflow. It only names the owner.
 */
export async function takeCreatedEvent(
  workspace: string,
  task: CreatedTask,
  routing: EventRouting,
): Promise<Outcome> {
  const isHeld = await routing.search.isHeld({ workspace, taskId: task.taskId }, routing.holds.created);
  if (isHeld === 'too many held') return isHeld;
  return isHeld ? 'held' : handOverTask(workspace, task, routing);
}

/**
 * Tells `unclaimed-tasks/<workspace>` of a task that no workflow is known to hold. The one place that does, for all
 * kinds of events.
 */
export async function handOverTask(
  workspace: string,
  task: CreatedTask,
  { sink, routes, recordsClock, log, troubles }: EventRouting,
): Promise<Outcome> {
  const { taskId, webhookId } = task;
  const owner = routes.find({ workspace, taskId })?.workflowId;
  try {
    await sink.unclaimed(workspace, { ...task, recordsBehind: recordsClock.behind }, owner);
  } catch (error) {
    troubles.warn('a task could not be handed over', { taskId, webhookId, reason: reasonOf(error) });
    return 'unavailable';
  }
  log.info({ taskId, webhookId, owner }, 'no workflow is known to hold this task');
  return 'unclaimed';
}
