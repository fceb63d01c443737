import { templateIdOf } from '../../api/input/template.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { parseTimestamp } from '../../api/records/timestamp.ts';
import type { RemoteClock } from '../../api/remote-clock.ts';
import type { CreatedTask } from '../../contract/entities/unclaimed-tasks.ts';
import { isCredits } from '../../contract/generation-messages.ts';
import { artifactsOf } from './event-artifacts.ts';
import type { VerifiedEvent } from './parse-event.ts';

/**
 * What a `task.created`, or a `task.started`, tells of its task's creation. A claim is for a task that was created
 * after its submit began, so `receivedAt` is moved back to the creation: by the age that the task had when the event
 * arose, and to the time of its record.
 *
 * @param records the clock that writes records, as all events tell it
 */
export function createdTask(taskId: string, event: VerifiedEvent, records: RemoteClock): CreatedTask {
  const age = event.type === 'task.started' ? ageAt('started_at', event) : undefined;
  return taskOf(taskId, event, records, age ?? 0);
}

/**
 * What a terminal event tells of its task's creation: where the earlier ones were lost, it is the only evidence of a
 * task.
 *
 * @returns undefined for an event without an input, or without a time that tells the task's age
 */
export function endedTask(
  taskId: string,
  event: VerifiedEvent,
  records: RemoteClock,
): CreatedTask | undefined {
  const age = ageAtEnd(event);
  if (age === undefined || !isRecord(event.prediction?.['input'])) return undefined;
  const artifacts = artifactsOf(event);
  return { ...taskOf(taskId, event, records, age), ...(artifacts === undefined ? {} : { artifacts }) };
}

/** How old a task was when it ended, in milliseconds; undefined where the event does not tell. */
export function ageAtEnd(event: VerifiedEvent): number | undefined {
  return ageAt('completed_at', event);
}

/** When a task was created, in milliseconds since the epoch by the clock that writes records; NaN where the event does not tell. */
export const createdAt = (event: VerifiedEvent): number => timeIn(event, 'created_at');

function taskOf(taskId: string, event: VerifiedEvent, records: RemoteClock, age: number): CreatedTask {
  const { prediction, webhookId, receivedAt } = event;
  const { input, template, credits } = prediction ?? {};
  const created = createdAt(event) - (records.offset ?? Number.NaN);
  const cost = isRecord(credits) ? credits['usage'] : undefined;
  const templateId = templateIdOf(template);
  return {
    taskId,
    webhookId,
    input: isRecord(input) ? input : {},
    ...(templateId === undefined ? {} : { templateId }),
    receivedAt: Math.min(receivedAt - age, Number.isNaN(created) ? Number.POSITIVE_INFINITY : created),
    // Before its end it may be 0, as what is not known yet.
    ...(isCredits(cost) && cost > 0 ? { credits: cost } : {}),
  };
}

/** How old the task was then, in milliseconds; undefined where the event does not tell both times. */
function ageAt(field: 'started_at' | 'completed_at', event: VerifiedEvent): number | undefined {
  const age = timeIn(event, field) - createdAt(event);
  return age >= 0 ? age : undefined;
}

function timeIn({ prediction }: VerifiedEvent, field: string): number {
  const time = prediction?.[field];
  return typeof time === 'string' ? parseTimestamp(time) : Number.NaN;
}
