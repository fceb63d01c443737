import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Accounts } from '../../../emulator/src/accounts/accounts.ts';
import { assumptionsSchema } from '../../../emulator/src/assumptions.ts';
import { Faults } from '../../../emulator/src/faults/faults.ts';
import { Changes } from '../../../emulator/src/storage/changes.ts';
import { sqliteStorage } from '../../../emulator/src/storage/sqlite-storage.ts';
import type { Task } from '../../../emulator/src/tasks/tasks.ts';
import { Deliveries } from '../../../emulator/src/webhooks/deliveries.ts';
import type { Delivery } from '../../../emulator/src/webhooks/delivery.ts';
import { type Endpoint, Endpoints, type NewEndpoint } from '../../../emulator/src/webhooks/endpoints.ts';
import { newTask as queuedTask } from '../tasks/task-stage.ts';
import { until } from '../until.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const NOW = 1_700_000_000_000;
const keeping = { storage: sqliteStorage(':memory:'), changes: new Changes() };
let receiver: WebhookReceiver;
let accounts: Accounts;
let endpoints: Endpoints;
let faults: Faults;
let deliveries: Deliveries;

beforeEach(async () => {
  receiver = await WebhookReceiver.start();
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: NOW });
  keeping.storage.clear();
  compose();
  accounts.saveWorkspace({
    id: 'default',
    name: 'Default',
    owner: { id: 1, email: 'a@example.com', name: 'A', avatar: '/a.png' },
    pools: { permanent: 100, subscription: 0, subscriptionExpiresAt: 0 },
    rateLimit: null,
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await deliveries.close();
  await receiver[Symbol.asyncDispose]();
});

/** The parts as a process makes them that finds what is stored. */
function compose(concurrency = 1): void {
  accounts = new Accounts(keeping);
  endpoints = new Endpoints(keeping);
  faults = new Faults(keeping, 1);
  deliveries = new Deliveries({
    keeping,
    accounts,
    endpoints,
    faults,
    pace: { retries: [60_000], timeout: 5_000, concurrency },
    assumptions: assumptionsSchema.parse({}),
    origin: () => 'http://emulator',
  });
}

function newEndpoint(more: Partial<NewEndpoint> = {}): Endpoint {
  return endpoints.create({ workspace: 'default', url: receiver.url, ...more });
}

function newTask(more: Partial<Task> = {}): Task {
  return queuedTask({ id: randomUUID(), workspace: 'default', createdAt: NOW, ...more });
}

/** What has become of the events of a task at an endpoint, newest first. */
function states(endpoint: Endpoint, task?: Task): unknown[] {
  return deliveries.log
    .latest(endpoint.id)
    .filter(({ taskId }) => task === undefined || taskId === task.id)
    .map(({ type, state, attempts }) => [type, state, attempts.length]);
}

function only(endpoint: Endpoint): Delivery {
  const [delivery, ...others] = deliveries.log.latest(endpoint.id);
  if (delivery === undefined || others.length > 0) throw new Error('There is not just one delivery');
  return delivery;
}

async function settled(count: number): Promise<void> {
  await until(() => {
    const { success, failed } = deliveries.log.counts();
    return success + failed === count;
  });
}

test('an event that is held follows the next one of its task to its endpoint, or goes out when its time is over', async () => {
  const [one, other] = [newEndpoint(), newEndpoint({ events: ['task.created'] })];
  const [task, another] = [newTask(), newTask()];
  faults.add({ on: 'webhook', match: { event: 'task.created' }, fault: { kind: 'reordered', ms: 1_000 } });
  deliveries.publish('task.created', task);
  deliveries.publish('task.created', another);
  deliveries.publish('task.started', task);
  await settled(2);
  expect(receiver.types()).toEqual(['task.started', 'task.created']);
  expect(states(one, task)).toEqual([
    ['task.started', 'success', 1],
    ['task.created', 'success', 1],
  ]);
  const held = [['task.created', 'pending', 0]];
  expect([states(one, another), states(other, task), states(other, another)]).toEqual([held, held, held]);

  vi.advanceTimersByTime(999);
  expect(deliveries.log.counts().pending).toBe(3);
  vi.advanceTimersByTime(1);
  await settled(5);
  await deliveries.close();
  expect(deliveries.log.counts()).toEqual({
    created: 5,
    attempts: 5,
    success: 5,
    failed: 0,
    pending: 0,
    processing: 0,
  });
});

test('an event that is late waits for its time, whatever else is told of its task', async () => {
  const endpoint = newEndpoint();
  const task = newTask();
  faults.add({ on: 'webhook', match: { event: 'task.created' }, fault: { kind: 'late', ms: 1_000 } });
  deliveries.publish('task.created', task);
  deliveries.publish('task.started', task);
  await settled(1);
  expect(states(endpoint)).toEqual([
    ['task.started', 'success', 1],
    ['task.created', 'pending', 0],
  ]);
});

test.each<[string, (endpoint: Endpoint) => void]>([
  ['disabled', (endpoint) => endpoints.save({ ...endpoint, enabled: false })],
  ['removed', ({ id }) => endpoints.remove(id)],
])('what waits for an endpoint that is %s meanwhile fails without an attempt', async (_how, change) => {
  const endpoint = newEndpoint();
  faults.add({ on: 'webhook', fault: { kind: 'late', ms: 1_000 } });
  deliveries.publish('task.created', newTask());
  change(endpoint);
  vi.advanceTimersByTime(1_000);
  await settled(1);
  expect(states(endpoint)).toEqual([['task.created', 'failed', 0]]);
  expect(receiver.received).toEqual([]);
});

test('a test delivery is sent to a disabled endpoint too, and to none whose workspace is not there', async () => {
  const endpoint = newEndpoint({ enabled: false });
  const delivery = deliveries.sendTest(endpoint, 'task.failed');
  expect(delivery).toEqual({
    id: expect.stringMatching(/^dlv_/),
    eventId: expect.stringMatching(/^evt_test_/),
    endpointId: endpoint.id,
    workspace: 'default',
    type: 'task.failed',
    taskId: 'test',
    test: true,
    body: expect.stringMatching(/^{"event":"task.failed","test":true,/),
    state: 'pending',
    attempts: [],
    createdAt: NOW,
    nextAttemptAt: NOW,
    fault: null,
  });
  await settled(1);
  expect(only(endpoint).state).toBe('success');

  expect(deliveries.sendTest(newEndpoint({ workspace: 'nowhere' }), 'task.failed')).toBeUndefined();
  deliveries.publish('task.created', newTask({ workspace: 'nowhere' }));
  expect(deliveries.log.counts().created).toBe(1);
});

test('what fails is tried again after its pause, and what has ended can be sent again', async () => {
  const endpoint = newEndpoint();
  receiver.answers.push(500);
  deliveries.publish('task.created', newTask());
  expect(deliveries.redeliver(only(endpoint))).toBe(false);
  await until(() => only(endpoint).attempts.length === 1);
  expect(only(endpoint)).toMatchObject({ state: 'pending', nextAttemptAt: NOW + 60_000 });
  expect(deliveries.redeliver(only(endpoint))).toBe(false);
  vi.advanceTimersByTime(60_000);
  await settled(1);
  expect(states(endpoint)).toEqual([['task.created', 'success', 2]]);
  const delivery = deliveries.log.get(only(endpoint).id);
  expect(delivery && deliveries.redeliver(delivery)).toBe(true);
  await settled(2);
  expect(states(endpoint)).toEqual([['task.created', 'success', 1]]);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test('an endpoint gets one after the other, and a closed emulator records and begins no more attempts', async () => {
  const [endpoint, other] = [newEndpoint(), newEndpoint({ events: ['task.failed'] })];
  receiver.delay = 2_000;
  deliveries.publish('task.created', newTask());
  deliveries.publish('task.created', newTask());
  faults.add({ on: 'webhook', fault: { kind: 'late', ms: 1_000 } });
  deliveries.publish('task.failed', newTask());
  await until(() => receiver.received.length === 1);
  const before = deliveries.log.latest();
  expect(states(other)).toEqual([['task.failed', 'pending', 0]]);
  expect(states(endpoint).toSorted()).toEqual([
    ['task.created', 'pending', 0],
    ['task.created', 'processing', 0],
    ['task.failed', 'pending', 0],
  ]);
  const timers = vi.getTimerCount();
  await deliveries.close();
  expect(vi.getTimerCount()).toBe(timers - 2);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(deliveries.log.latest()).toEqual(before);
});

test('after a restart what was under way is sent at once, and what waits for a retry at its time', async () => {
  const endpoint = newEndpoint();
  receiver.answers.push(500);
  deliveries.publish('task.created', newTask());
  await until(() => only(endpoint).attempts.length === 1);
  const interrupted = { ...only(endpoint), id: 'dlv_interrupted', attempts: [] };
  deliveries.log.begin(interrupted);
  await deliveries.close();

  compose();
  deliveries.resume();
  await settled(1);
  expect(deliveries.log.get('dlv_interrupted')?.state).toBe('success');
  expect(deliveries.log.unfinished()).toMatchObject([{ state: 'pending', nextAttemptAt: NOW + 60_000 }]);
});

test('which events a share strikes depends on whose they are, not on their order', async () => {
  const endpoint = newEndpoint();
  const tasks = Array.from({ length: 16 }, (_, index) =>
    index < 8 ? newTask({ workflow: `w${index}` }) : newTask({ input: { prompt: `${index}` } }),
  );
  const struck = async (order: readonly Task[]): Promise<string[]> => {
    faults.add({ id: 'half', on: 'webhook', share: 0.5, fault: { kind: 'lost' } });
    const lost: string[] = [];
    for (const task of order) {
      const { failed } = deliveries.log.counts();
      deliveries.publish('task.created', task);
      if (deliveries.log.counts().failed > failed) lost.push(task.id);
    }
    return lost.toSorted();
  };
  const first = await struck(tasks);
  expect([first.length > 3, first.length < 13]).toEqual([true, true]);
  expect(await struck(tasks.toReversed())).toEqual(first);
  endpoints.remove(endpoint.id);
});
