import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { expect, it } from 'vitest';
import { toldTaskIds } from '../../../src/activities/generation/heard-of.ts';
import { hasLookedBack, readPurchases } from '../../../src/activities/generation/purchases.ts';
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

it('a doubt that was handed on has the name of the submit that it is about', () => {
  const submit = { runId: 'first', activityId: '7' };
  const told = { kind: 'unknown', reason: 'lost', since: SCHEDULED, submit } as const;
  expect(readPurchases(submitted(told)).unknownSubmits).toMatchObject([submit]);
});

it('a run has looked back whose submit says so, and one that goes on for it', () => {
  const told = { kind: 'unknown', reason: 'lost', since: SCHEDULED } as const;
  expect(hasLookedBack(submitted(told))).toBe(false);
  expect(hasLookedBack(submitted({ ...told, lookedBack: true }))).toBe(true);
  expect(hasLookedBack(goneOn({ lookedBack: true }))).toBe(true);
});

/** The first event of a run that goes on for another one. */
function goneOn(state: unknown): readonly HistoryEvent[] {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const payloads = [{}, state].map((argument) => ({
    metadata: { encoding: base64('json/plain') },
    data: base64(JSON.stringify(argument)),
  }));
  const { events } = historyFromJSON({
    events: [
      {
        eventId: '1',
        eventTime: new Date(SCHEDULED).toISOString(),
        eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED',
        workflowExecutionStartedEventAttributes: { input: { payloads } },
      },
    ],
  });
  return events ?? [];
}

it('a run that goes on for another one knows what that one had bought, and was told of', () => {
  const [held, ended, granted, proven] = [1, 2, 3, 4].map((n) => `${n}5aa0004-b84d-4d33-bb3e-db29ea33157b`);
  const lost = { kind: 'unknown', reason: 'lost', since: 7, submit: { runId: 'a run', activityId: '1' } };
  const gaveUp = { unknown: { ...lost, since: 3 }, at: 5 };
  const heard = {
    ended: [[ended, 1]],
    grants: [['a claim', granted]],
    proofs: [['another', { taskId: proven }]],
  };
  const events = goneOn({ stage: { at: 'reconcile', search: { unknown: lost } }, gaveUp, heard });
  expect(readPurchases(events)).toMatchObject({
    taskIds: [],
    unknownSubmits: [
      { since: 3, givenUp: true, recorded: true },
      { since: 7, runId: 'a run', activityId: '1', recorded: true },
    ],
  });
  expect(toldTaskIds(events)).toEqual([ended, proven, granted]);
  expect(readPurchases(goneOn({ stage: { at: 'wait', task: { taskId: held } } })).taskIds).toEqual([held]);
  expect(readPurchases(goneOn({ stage: { at: 'ask', wait: { task: { taskId: held } } } })).taskIds).toEqual([
    held,
  ]);
});

it.each([
  [null],
  ['x'],
  [{ stage: 7, heard: [] }],
  [{ stage: { search: { unknown: {} } }, heard: { ended: [7] } }],
])('a run that anybody has started with %j as its second argument tells nothing', (state) => {
  expect(readPurchases(goneOn(state))).toEqual({
    taskIds: [],
    usages: new Map(),
    ends: new Map(),
    bought: new Set(),
    result: undefined,
    unknownSubmits: [],
    endedSubmits: [],
  });
  expect(toldTaskIds(goneOn(state))).toEqual([]);
});

/** The event of a local activity's end. */
function endedLocally(activityType: string, failure?: object): readonly HistoryEvent[] {
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
          ...(failure && { failure }),
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

/** The events of an ordinary claim. */
function claimed(): readonly HistoryEvent[] {
  const { events } = historyFromJSON({
    events: [
      {
        eventId: '11',
        eventType: 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED',
        activityTaskScheduledEventAttributes: { activityType: { name: 'requestClaim' }, activityId: '2' },
      },
      {
        eventId: '13',
        eventTime: new Date(SCHEDULED + 9_000).toISOString(),
        eventType: 'EVENT_TYPE_ACTIVITY_TASK_COMPLETED',
        activityTaskCompletedEventAttributes: { scheduledEventId: '11' },
      },
    ],
  });
  return events ?? [];
}

it('so it was when a claim that had failed as a local activity was put in by an ordinary one', () => {
  const lost = { kind: 'unknown', reason: 'lost', since: SCHEDULED } as const;
  const claimedAt = (events: readonly HistoryEvent[]) =>
    readPurchases([...submitted(lost), ...events]).unknownSubmits[0]?.claimedAt;
  const failed = (cause: object) => endedLocally('requestClaim', { activityFailureInfo: {}, cause });
  const refused = failed({ applicationFailureInfo: { type: 'Error' } });
  expect(claimedAt(refused)).toBeUndefined();
  expect(claimedAt([...refused, ...claimed()])).toBe(SCHEDULED + 9_000);
  const neverBegan = { timeoutFailureInfo: { timeoutType: 'TIMEOUT_TYPE_SCHEDULE_TO_START' } };
  expect(claimedAt(failed(neverBegan))).toBeUndefined();
  const givenUp = { timeoutFailureInfo: { timeoutType: 'TIMEOUT_TYPE_SCHEDULE_TO_CLOSE' } };
  for (const cause of [givenUp, { canceledFailureInfo: {} }])
    expect(claimedAt(failed(cause))).toBe(SCHEDULED + 5_000);
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
