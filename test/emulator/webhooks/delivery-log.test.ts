import { beforeEach, expect, test } from 'vitest';
import { Changes } from '../../../emulator/src/storage/changes.ts';
import { sqliteStorage } from '../../../emulator/src/storage/sqlite-storage.ts';
import type { Attempt, Delivery } from '../../../emulator/src/webhooks/delivery.ts';
import { DeliveryLog } from '../../../emulator/src/webhooks/delivery-log.ts';

const keeping = { storage: sqliteStorage(':memory:'), changes: new Changes() };
let log: DeliveryLog;

beforeEach(() => {
  keeping.storage.clear();
  log = new DeliveryLog(keeping, 'attempts');
});

/** A delivery that waits, made at a time, with attempts at these times. */
function pending(id: string, createdAt = 0, attempts: number[] = [], endpointId = 'ep'): Delivery {
  const delivery: Delivery = {
    id,
    eventId: `evt_${id}`,
    endpointId,
    workspace: 'default',
    type: 'task.created',
    taskId: 'task',
    test: false,
    body: '{}',
    state: 'pending',
    attempts: attempts.map(attempt),
    createdAt,
    nextAttemptAt: createdAt,
    fault: null,
  };
  log.save(delivery);
  return delivery;
}

function attempt(at: number): Attempt {
  return { at, took: 1, status: 500, answer: '', error: null };
}

function done(id: string): Delivery {
  const delivery = pending(id);
  log.finish(delivery, 'success');
  return delivery;
}

function ids(deliveries: readonly Delivery[]): string[] {
  return deliveries.map(({ id }) => id);
}

const range = (count: number): number[] => [...Array(count).keys()];

test('deliveries and attempts are counted, and those that wait or are under way', () => {
  expect(log.counts()).toEqual({
    created: 0,
    attempts: 0,
    success: 0,
    failed: 0,
    pending: 0,
    processing: 0,
  });
  for (const _ of range(9)) log.created();
  for (const _ of range(7)) log.attempted();
  const [one, two, three, , , , ...ended] = range(11).map((index) => pending(`d${index}`));
  for (const delivery of [one, two, three]) if (delivery !== undefined) log.begin(delivery);
  ended.forEach((delivery, index) => log.finish(delivery, index < 3 ? 'success' : 'failed'));
  expect(log.counts()).toEqual({
    created: 9,
    attempts: 7,
    success: 3,
    failed: 2,
    pending: 3,
    processing: 3,
  });
});

test('of the finished deliveries of an endpoint the 20 latest are kept, and all that are not finished', () => {
  const waiting = pending('waiting');
  const [first, second] = range(21).map((index) => done(`d${index}`));
  log.finish(pending('elsewhere', 0, [], 'another'), 'failed');
  expect([first, second].map((one) => log.get(one?.id ?? '')?.id)).toEqual([undefined, 'd1']);
  expect(log.get('elsewhere')?.state).toBe('failed');
  expect(ids(log.unfinished())).toEqual([waiting.id]);
});

test('after a restart the same are kept, and the next one that finishes takes the place of the oldest', () => {
  pending('waiting');
  for (const index of range(20)) done(`d${index}`);
  log = new DeliveryLog(keeping, 'attempts');
  expect(ids(log.unfinished())).toEqual(['waiting']);
  done('next');
  expect(['waiting', 'd0', 'd1', 'next'].map((id) => log.get(id)?.id)).toEqual([
    'waiting',
    undefined,
    'd1',
    'next',
  ]);
});

test('a finished delivery that begins again is the latest when it finishes again', () => {
  const [first] = range(20).map((index) => done(`d${index}`));
  if (first === undefined) throw new Error('there are 20');
  expect(log.reopen(first)).toBe(true);
  log.begin(first);
  expect(log.reopen(first)).toBe(false);
  log.finish(first, 'failed');
  done('next');
  expect(['d0', 'd1', 'd2', 'next'].map((id) => log.get(id)?.id)).toEqual(['d0', undefined, 'd2', 'next']);
});

test('the latest attempts are shown with their deliveries, newest delivery first, each endpoint by itself', () => {
  pending('retried', 0, [1, 100]);
  pending('old', 1, [2]);
  for (const index of range(18)) pending(`d${index}`, 10 + 2 * index, [10 + 2 * index]);
  pending('waiting', 9);
  pending('elsewhere', 21, [21], 'another');
  const shown = log.latest('ep');
  expect(ids(shown)).toEqual([
    ...range(18)
      .map((index) => `d${index}`)
      .reverse(),
    'waiting',
    'retried',
  ]);
  expect(shown.at(-1)?.attempts).toEqual([attempt(100)]);
  expect(ids(log.latest())).toHaveLength(21);
  expect(ids(log.latest()).slice(11, 14)).toEqual(['d6', 'elsewhere', 'd5']);
});

test('where deliveries count and not attempts, the 20 latest deliveries are shown with all their attempts', () => {
  for (const index of range(21)) pending(`d${index}`, 0, [1, 2]);
  log = new DeliveryLog(keeping, 'deliveries');
  const shown = log.latest();
  expect(ids(shown)).toEqual(
    range(21)
      .map((index) => `d${index}`)
      .slice(1)
      .reverse(),
  );
  expect(shown[0]?.attempts).toHaveLength(2);
});
