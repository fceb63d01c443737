import proto from '@temporalio/proto';
import type { SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import { searchableTaskIds } from '../../temporal/bill/searchable-tasks.ts';
import { decode, type HistoryEvent } from '../../temporal/history.ts';
import { adoptedBy } from './adoptions.ts';

/** What a run's history tells of one submit. */
export type EndOfSubmit =
  | { kind: 'bought'; taskId: string }
  | { kind: 'unbought' }
  /** It has no end yet. */
  | { kind: 'pending' }
  | { kind: 'unknown' };

const { TIMEOUT_TYPE_SCHEDULE_TO_START } = proto.temporal.api.enums.v1.TimeoutType;

/**
 * How a submit ended. One that lost its answer has bought the task that the run has come to hold after it, if any, and
 * before it submitted again.
 */
export function endOfSubmit(events: readonly HistoryEvent[], activityId: string): EndOfSubmit {
  const at = events.findIndex(
    (event) => event.activityTaskScheduledEventAttributes?.activityId === activityId,
  );
  const scheduled = events[at];
  if (scheduled === undefined) return { kind: 'unknown' };
  const { activityType } = scheduled.activityTaskScheduledEventAttributes ?? {};
  const after = events.slice(at + 1);
  const isOf = (attributes: { scheduledEventId?: unknown } | null | undefined): boolean =>
    attributes != null && String(attributes.scheduledEventId) === String(scheduled.eventId);
  const end = after.find(
    (event) =>
      isOf(event.activityTaskCompletedEventAttributes) ||
      isOf(event.activityTaskFailedEventAttributes) ||
      isOf(event.activityTaskCanceledEventAttributes) ||
      isOf(event.activityTaskTimedOutEventAttributes),
  );
  if (end === undefined) return { kind: 'pending' };
  if (end.activityTaskFailedEventAttributes != null || end.activityTaskCanceledEventAttributes != null)
    return { kind: 'unbought' };
  const timedOut = end.activityTaskTimedOutEventAttributes;
  if (timedOut?.failure?.timeoutFailureInfo?.timeoutType === TIMEOUT_TYPE_SCHEDULE_TO_START)
    return { kind: 'unbought' };
  const [result] = decode<[Partial<SubmitTaskResult & { taskId: string; adopted: boolean }>]>(
    end.activityTaskCompletedEventAttributes?.result,
  );
  if (result?.kind === 'accepted' && result.adopted !== true && result.taskId !== undefined)
    return { kind: 'bought', taskId: result.taskId };
  if (result !== undefined && result.kind !== 'unknown') return { kind: 'unbought' };
  // What a person has given to it may be anything: that task's look tells whether it counts.
  const adopted = new Set(events.flatMap(adoptedBy));
  for (const event of after.slice(after.indexOf(end) + 1)) {
    if (event.activityTaskScheduledEventAttributes?.activityType?.name === activityType?.name) break;
    const [taskId] = searchableTaskIds(event);
    if (taskId !== undefined) return adopted.has(taskId) ? { kind: 'unknown' } : { kind: 'bought', taskId };
  }
  return { kind: 'unknown' };
}
