import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { expect, it } from 'vitest';
import { readPurchases } from '../../../src/activities/generation/purchases.ts';
import { NO_USAGE } from '../../../src/api/records/usage.ts';
import type { SubmitTaskResult } from '../../../src/contract/tasks/submit-task.ts';
import type { HistoryEvent } from '../../../src/temporal/history.ts';

const SCHEDULED = 2_000_000;

/** The events of a submit that reported how it ended. */
function submitted(result: SubmitTaskResult, name = 'submitTask'): readonly HistoryEvent[] {
  const eventTime = new Date(SCHEDULED).toISOString();
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const payload = { metadata: { encoding: base64('json/plain') }, data: base64(JSON.stringify(result)) };
  const { events } = historyFromJSON({
    events: [
      {
        eventId: '5',
        eventTime,
        eventType: 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED',
        activityTaskScheduledEventAttributes: { activityType: { name }, activityId: '1' },
      },
      {
        eventId: '7',
        eventTime,
        eventType: 'EVENT_TYPE_ACTIVITY_TASK_COMPLETED',
        activityTaskCompletedEventAttributes: { scheduledEventId: '5', result: { payloads: [payload] } },
      },
    ],
  });
  return events ?? [];
}

it.each([
  ['it told, which may be long after it was scheduled', SCHEDULED + 60_000],
  ['the one of an earlier run began, whose doubt was handed on', SCHEDULED - 60_000],
])('an unknown submit began when %s', (_, since) => {
  const { unknownSubmits } = readPurchases(submitted({ kind: 'unknown', reason: 'lost', since }));
  expect(unknownSubmits).toMatchObject([{ since, scheduledAt: SCHEDULED, recorded: true }]);
});

/** The event of a local activity's end. */
function endedLocally(activityType: string): readonly HistoryEvent[] {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const data = base64(JSON.stringify({ activity_type: activityType }));
  const payload = { metadata: { encoding: base64('json/plain') }, data };
  const { events } = historyFromJSON({
    events: [
      {
        eventId: '9',
        eventTime: new Date(SCHEDULED + 5_000).toISOString(),
        eventType: 'EVENT_TYPE_MARKER_RECORDED',
        markerRecordedEventAttributes: {
          markerName: 'core_local_activity',
          details: { data: { payloads: [payload] } },
        },
      },
    ],
  });
  return events ?? [];
}

it('an unknown submit was claimed when its run put in its claim first, or the run before that one', () => {
  const lost = { kind: 'unknown', reason: 'lost', since: SCHEDULED } as const;
  const claim = endedLocally('requestClaim');
  const claimedAt = ({ unknownSubmits }: ReturnType<typeof readPurchases>) => unknownSubmits[0]?.claimedAt;
  expect(claimedAt(readPurchases([...submitted(lost), ...endedLocally('getTask')]))).toBeUndefined();
  expect(claimedAt(readPurchases([...submitted(lost), ...claim]))).toBe(SCHEDULED + 5_000);
  expect(claimedAt(readPurchases([...submitted({ ...lost, claimedAt: 7 }), ...claim]))).toBe(7);
});

it('what is only to be adopted leaves no doubt where it has no end, and hands on the doubt that it has found', () => {
  const since = SCHEDULED - 60_000;
  const events = submitted({ kind: 'unknown', reason: 'lost', since }, 'adoptTask');
  expect(readPurchases(events.slice(0, 1))).toMatchObject({ unknownSubmits: [], endedSubmits: [] });
  expect(readPurchases(events)).toMatchObject({
    unknownSubmits: [{ since, recorded: true }],
    endedSubmits: [],
  });
});

it('a submit that was followed by another one is given up, and stays unknown whatever became of that one', () => {
  const lost = submitted({ kind: 'unknown', reason: 'lost', since: SCHEDULED });
  const again = submitted({ kind: 'accepted', taskId: 'a task', usage: NO_USAGE, adopted: false });
  const { unknownSubmits, taskIds } = readPurchases([...lost, ...again]);
  expect(taskIds).toEqual(['a task']);
  expect(unknownSubmits).toMatchObject([
    { since: SCHEDULED, recorded: true, inFlight: false, givenUp: true },
  ]);
});
