import { isRecord } from '../../api/is-record.ts';
import type { CreatedTask } from '../../contract/unclaimed-tasks.ts';
import type { VerifiedEvent } from './parse-event.ts';

/** What a `task.created` tells of its task. */
export function createdTask(
  taskId: string,
  { prediction, webhookId, receivedAt }: VerifiedEvent,
): CreatedTask {
  const { input, created_at: createdAt } = prediction ?? {};
  return {
    taskId,
    webhookId,
    input: isRecord(input) ? input : {},
    createdAt: typeof createdAt === 'string' ? createdAt : null,
    receivedAt,
  };
}

/**
 * What a terminal event tells of its task's creation: where `task.created` was lost, it is the only evidence of a
 * task. A claim is for a task that was created after its submit began, so `receivedAt` is moved back by the task's
 * age, which is measured on the API's clock alone.
 *
 * @returns undefined for an event without an input, or without a time that tells its age
 */
export function endedTask(taskId: string, event: VerifiedEvent): CreatedTask | undefined {
  const task = createdTask(taskId, event);
  const { input, completed_at: completedAt } = event.prediction ?? {};
  const age = Date.parse(String(completedAt)) - Date.parse(task.createdAt ?? '');
  if (!isRecord(input) || !(age >= 0)) return undefined;
  return { ...task, receivedAt: task.receivedAt - age };
}
