import { isRecord } from '../../api/json/is-record.ts';
import { type HistoryEvent, timeOf } from '../../temporal/history.ts';
import { describeActivityEnd, describeActivityStart } from './activity-words.ts';
import { CHANGES } from './event-words.ts';
import { firstValue } from './first-value.ts';

/** Something that happened in a run. */
export interface Moment {
  /** ISO 8601. */
  at: string;
  what: string;
}

/**
 * What a run did, by its history: what was asked of the API and what came of it, signals and people's messages,
 * polls that told trouble, files, its end. What only keeps a workflow going (tasks, timers) is left out; the same
 * thing several times in a row is told once.
 */
export function readTimeline(events: readonly HistoryEvent[]): Moment[] {
  const { workflowId = '' } = events[0]?.workflowExecutionStartedEventAttributes ?? {};
  const activities = new ActivityNames(events);
  const told: { at: string; what: string; times: number }[] = [];
  for (const event of events) {
    const what = activities.tell(event) ?? tellChange(event, workflowId ?? '');
    if (what === undefined) continue;
    const last = told.at(-1);
    if (last?.what === what) last.times += 1;
    else told.push({ at: new Date(timeOf(event)).toISOString(), what, times: 1 });
  }
  return told.map(({ at, what, times }) => ({ at, what: times === 1 ? what : `${what} (${times} times)` }));
}

function tellChange(event: HistoryEvent, workflowId: string): string | undefined {
  for (const tell of CHANGES) {
    const what = tell(event, workflowId);
    if (what !== undefined) return what;
  }
  return undefined;
}

/** Events of an activity's end name its beginning only: the names and tries are kept until then. */
class ActivityNames {
  readonly #scheduled = new Map<string, { name: string; tries: number }>();
  /** Submits that have bought nothing, because the task was there: their beginnings say nothing of a submit. */
  readonly #adopting: ReadonlySet<string>;

  constructor(events: readonly HistoryEvent[]) {
    const adopting = events.flatMap(({ activityTaskCompletedEventAttributes: completed }) => {
      const result = firstValue(completed?.result);
      return isRecord(result) && result['adopted'] === true ? String(completed?.scheduledEventId) : [];
    });
    this.#adopting = new Set(adopting);
  }

  tell(event: HistoryEvent): string | undefined {
    const {
      activityTaskScheduledEventAttributes: scheduled,
      activityTaskStartedEventAttributes: started,
      activityTaskCompletedEventAttributes: completed,
      activityTaskFailedEventAttributes: failed,
      activityTaskTimedOutEventAttributes: timedOut,
      markerRecordedEventAttributes: marker,
    } = event;
    if (scheduled) {
      const name = scheduled.activityType?.name ?? '';
      this.#scheduled.set(String(event.eventId), { name, tries: 1 });
      return this.#adopting.has(String(event.eventId)) ? undefined : describeActivityStart(name);
    }
    if (started) {
      this.#of(started).tries = started.attempt ?? 1;
      return undefined;
    }
    if (completed) {
      const { name, tries } = this.#of(completed);
      return describeActivityEnd(name, tries, { result: firstValue(completed.result) });
    }
    const end = failed ?? timedOut;
    if (end) {
      const { name, tries } = this.#of(end);
      const { message, applicationFailureInfo: info } = end.failure ?? {};
      return describeActivityEnd(name, tries, {
        failure: { type: info?.type ?? '', message: message ?? '' },
      });
    }
    return marker?.markerName === LOCAL_ACTIVITY ? tellLocalActivity(marker) : undefined;
  }

  #of({ scheduledEventId }: { scheduledEventId?: unknown }): { name: string; tries: number } {
    return this.#scheduled.get(String(scheduledEventId)) ?? { name: '', tries: 1 };
  }
}

/** The SDK's name for how a local activity is recorded; `data` says which one, `result` what it returned. */
const LOCAL_ACTIVITY = 'core_local_activity';

function tellLocalActivity({
  details,
  failure,
}: NonNullable<HistoryEvent['markerRecordedEventAttributes']>): string | undefined {
  const data = firstValue(details?.['data']);
  const type = isRecord(data) ? data['activity_type'] : undefined;
  const name = typeof type === 'string' ? type : '';
  if (failure) {
    const { message, applicationFailureInfo: info } = failure;
    // The others are tried again as ordinary ones, which tell.
    if (info?.nonRetryable !== true) return undefined;
    return describeActivityEnd(name, 1, { failure: { type: info.type ?? '', message: message ?? '' } });
  }
  const result = firstValue(details?.['result']);
  // It is recorded once, when it is over.
  return describeActivityStart(name) ?? describeActivityEnd(name, 1, { result });
}
