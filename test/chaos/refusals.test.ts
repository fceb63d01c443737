import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { expect, it } from 'vitest';
import type { HistoryEvent } from '../../src/temporal/history.ts';
import type { LedgerCharge } from './emulator-control.ts';
import { refusedAt, type Submits, submitsIn, untrueIn } from './refusals.ts';

const ID = 'pipeline/film';
const AT = Date.parse('2026-11-24T12:10:00Z');
const time = (minute: number): string => new Date(AT + (minute - 10) * 60_000).toISOString();

const charge = (taskId: string, minute: number, more: Partial<LedgerCharge> = {}): LedgerCharge => ({
  taskId,
  workspace: 'default',
  workflow: `${ID}/still`,
  model: 'image-l',
  at: time(minute),
  credits: 8,
  answered: true,
  refund: null,
  ...more,
});

const says = (spent: number, reserved: number, costs: number | null = 8, limit = 16): string =>
  `the budget of ${ID}, ${limit} credits, does not admit it: ${spent} are spent, ${reserved} reserved, and ${
    costs === null ? 'nobody knows what it will cost' : `it may cost ${costs}`
  }`;

const submits = (bought: string[], untold = 0): Submits => ({
  workflowId: `${ID}/still`,
  bought: new Set(bought),
  untold,
});

function untrue(message: string, charges: LedgerCharge[], own: Submits): string | undefined {
  return untrueIn(message, `${ID}/large`, {
    at: AT,
    budgets: new Map([[ID, 16]]),
    charges,
    submits: [own],
  });
}

it('a refusal is honest that has no room for what it says, and says what is so', () => {
  const two = [charge('a', 1), charge('b', 2)];
  expect(untrue(says(16, 0), two, submits(['a', 'b']))).toBeUndefined();
  expect(untrue(says(8, 8), two, submits(['a', 'b']))).toBeUndefined();
  // Nobody can tell whether it has bought.
  expect(untrue(says(8, 8), [charge('a', 1)], submits(['a'], 1))).toBeUndefined();
  expect(untrue(says(0, 16), two, submits(['a'], 1))).toBeUndefined();
  expect(untrue(says(0, 16, null), [], submits([], 1))).toBeUndefined();
});

it('a refusal is told whose own sum has room, or that is of no budget of its workflow', () => {
  const two = [charge('a', 1), charge('b', 2)];
  const own = submits(['a', 'b']);
  expect(untrue(says(8, 0), two, own)).toBe('what it says has room');
  expect(untrue(says(8, 7, null), two, own)).toBe('what it says has room');
  expect(untrue(says(8, 8, 8, 20), two, own)).toBe('there is no such budget');
  expect(untrue(says(16, 0).replace(ID, 'pipeline/other'), two, own)).toBe('there is no such budget');
  expect(untrue('the budget is gone', two, own)).toBe('it does not say why');
});

it('a refusal is told that says more than was spent or open by then', () => {
  const own = submits(['a', 'b']);
  const [a, b] = [charge('a', 1), charge('b', 2)];
  expect(untrue(says(16, 0), [a, charge('b', 11)], own)).toBe('8 were spent by the ledger');
  expect(untrue(says(16, 0), [a, { ...b, refund: { at: time(3) } }], own)).toBe('8 were spent by the ledger');
  expect(untrue(says(16, 0), [a, { ...b, workflow: 'pipeline/film-2/still' }], own)).toBe(
    '8 were spent by the ledger',
  );
  expect(untrue(says(8, 16), [a, b], own)).toBe('8 were open');
  expect(untrue(says(8, 8), [a], submits(['a']))).toBe('0 were open');
  // The task that an untold submit has bought is its own.
  expect(untrue(says(8, 16), [a, b], submits(['a'], 1))).toBe('8 were open');
});

it('a refusal is told that does not wait for what is paid back', () => {
  const charges = [charge('a', 1), charge('b', 2, { refund: { at: time(12) } })];
  expect(untrue(says(8, 8), charges, submits(['a', 'b']))).toBe('8 stood against it');
  // Nobody had heard of that one.
  expect(untrue(says(8, 8), charges, submits(['a'], 1))).toBeUndefined();
});

/** Events as Temporal has them in JSON, each a minute after the one before. */
function history(...events: object[]): readonly HistoryEvent[] {
  const told = events.map((event, n) => ({ eventId: String(n + 1), eventTime: time(n + 1), ...event }));
  return historyFromJSON({ events: told }).events ?? [];
}

const scheduled = (name = 'submitTask') => ({
  activityTaskScheduledEventAttributes: { activityType: { name } },
});
const completed = (scheduledEventId: string, result: object) => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const payload = { metadata: { encoding: base64('json/plain') }, data: base64(JSON.stringify(result)) };
  return { activityTaskCompletedEventAttributes: { scheduledEventId, result: { payloads: [payload] } } };
};
const failed = (scheduledEventId: string, message: string) => ({
  activityTaskFailedEventAttributes: { scheduledEventId, failure: { message } },
});

it('the submits of a history are those that were told, and those that may have bought', () => {
  const events = history(
    scheduled(),
    completed('1', { kind: 'accepted', taskId: 'a', adopted: false }),
    scheduled(),
    completed('3', { kind: 'accepted', taskId: 'of another run', adopted: true }),
    scheduled('lookAtTask'),
    scheduled(),
    completed('6', { kind: 'unknown' }),
    scheduled(),
    scheduled(),
    failed('9', says(16, 0)),
    completed('8', { kind: 'accepted', taskId: 'late', adopted: false }),
  );
  expect(refusedAt(says(16, 0), events)).toBe(AT);
  expect(submitsIn(ID, events, AT)).toEqual({ workflowId: ID, bought: new Set(['a']), untold: 2 });
  expect(refusedAt('something else', events)).toBeUndefined();
});
