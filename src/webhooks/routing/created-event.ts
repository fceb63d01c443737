import type { CreatedTask } from '../../contract/unclaimed-tasks.ts';
import type { EventRouting } from './event-routing.ts';
import type { Outcome } from './outcome.ts';
import { reasonOf } from './reason-of.ts';

/** Shares of the hold after which visibility is asked: most tasks are there at the first. */
const CHECKS = [0.25, 1];

/**
 * What becomes of the first event of a task: `task.created`, or `task.started` where that one was lost. Waits
 * whether Temporal itself shows a workflow that holds the task. If it does not, or does not
 * answer, `unclaimed-tasks/<workspace>` gets to know the task. That this process got the submit's answer is not
 * enough: in an outage the answer may never reach its workflow. It only names the owner.
 */
export async function takeCreatedEvent(
  workspace: string,
  task: CreatedTask,
  routing: EventRouting,
): Promise<Outcome> {
  const { search, holds } = routing;
  const plan = { checks: CHECKS.map((share) => share * holds.created), urgent: false };
  const answer = await search.find({ workspace, taskId: task.taskId }, plan, { submits: false });
  if (answer.kind === 'too many held') return answer.kind;
  if (answer.kind === 'found') return 'held';
  return handOverTask(workspace, task, routing);
}

/**
 * Tells `unclaimed-tasks/<workspace>` of a task that no workflow is known to hold. The one place that does, for all
 * kinds of events.
 */
export async function handOverTask(
  workspace: string,
  task: CreatedTask,
  { sink, routes, log, troubles }: EventRouting,
): Promise<Outcome> {
  const { taskId, webhookId } = task;
  const owner = routes.find({ workspace, taskId })?.workflowId;
  try {
    await sink.unclaimed(workspace, task, owner);
  } catch (error) {
    troubles.warn('a task could not be handed over', { taskId, webhookId, reason: reasonOf(error) });
    return 'unavailable';
  }
  log.info({ taskId, webhookId, owner }, 'no workflow is known to hold this task');
  return 'unclaimed';
}
