import { templateIdOf } from '../../api/input/template.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { parseTimestamp } from '../../api/records/timestamp.ts';
import type { CreatedTask } from '../../contract/entities/task-notices.ts';
import { isCredits } from '../../contract/generation-messages.ts';
import { artifactsOf } from './event-artifacts.ts';
import type { VerifiedEvent } from './parse-event.ts';

/**
 * What a `task.created`, or a `task.started`, tells of its task's creation. A claim is for a task that was created
 * after its submit began, so `receivedAt` is moved back by the age that the task had when the event arose, which is
 * measured on the API's clock alone.
 */
export function createdTask(taskId: string, event: VerifiedEvent): CreatedTask {
  const age = event.type === 'task.started' ? ageAt('started_at', event) : undefined;
  return taskOf(taskId, event, age ?? 0);
}

/**
 * What a terminal event tells of its task's creation: where the earlier ones were lost, it is the only evidence of a
 * task.
 *
 * @returns undefined for an event without an input, or without a time that tells the task's age
 */
export function endedTask(taskId: string, event: VerifiedEvent): CreatedTask | undefined {
  const age = ageAtEnd(event);
  if (age === undefined || !isRecord(event.prediction?.['input'])) return undefined;
  const artifacts = artifactsOf(event);
  return { ...taskOf(taskId, event, age), ...(artifacts === undefined ? {} : { artifacts }) };
}

/** How old a task was when it ended, in milliseconds; undefined where the event does not tell. */
export function ageAtEnd(event: VerifiedEvent): number | undefined {
  return ageAt('completed_at', event);
}

function taskOf(taskId: string, event: VerifiedEvent, age: number): CreatedTask {
  const { prediction, webhookId, receivedAt } = event;
  const { input, template, created_at: createdAt, credits } = prediction ?? {};
  const cost = isRecord(credits) ? credits['usage'] : undefined;
  const templateId = templateIdOf(template);
  return {
    taskId,
    webhookId,
    input: isRecord(input) ? input : {},
    ...(templateId === undefined ? {} : { templateId }),
    createdAt: typeof createdAt === 'string' ? createdAt : null,
    receivedAt: receivedAt - age,
    // Before its end it may be 0, as what is not known yet.
    ...(isCredits(cost) && cost > 0 ? { credits: cost } : {}),
  };
}

/** How old the task was then, in milliseconds; undefined where the event does not tell both times. */
function ageAt(field: 'started_at' | 'completed_at', { prediction }: VerifiedEvent): number | undefined {
  const [then, created] = [prediction?.[field], prediction?.['created_at']];
  if (typeof then !== 'string' || typeof created !== 'string') return undefined;
  const age = parseTimestamp(then) - parseTimestamp(created);
  return age >= 0 ? age : undefined;
}
