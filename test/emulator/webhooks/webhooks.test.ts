import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { webhookEventSchema } from '../../../src/api/events/webhook-event.ts';
import { ApiCaller, type Json } from '../api-caller.ts';
import { until } from '../until.ts';
import { type Received, WebhookReceiver } from './webhook-receiver.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let emulator: Emulator;
let api: ApiCaller;
let receiver: WebhookReceiver;
let endpointId: string;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    durations: { queue: 15, run: 15 },
    webhooks: { retries: [20, 20], timeout: 300 },
  });
  api = new ApiCaller(emulator);
});
afterAll(async () => {
  await emulator.close();
  await receiver[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await api.control('POST /reset');
  receiver.received.length = 0;
  receiver.answers.length = 0;
  receiver.delay = 0;
  endpointId = (await newEndpoint()).id;
});

async function newEndpoint(more: object = {}): Promise<Json> {
  const endpoint = { workspace: 'default', url: receiver.url, secret: SECRET, ...more };
  return (await api.control('POST /endpoints', endpoint)).body;
}

async function deliveries(id = endpointId): Promise<Json[]> {
  return (await api.control(`GET /endpoints/${id}/deliveries`)).body;
}

function predictionOf(taskId: string, type: string): Json {
  return receiver.of(taskId).find(({ payload }) => payload.event === type)?.payload.prediction;
}

function verifies(secret: string, { raw, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(raw, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

test('no endpoint can be at a link-local address or a cloud’s metadata service, at first or later', async () => {
  const message = 'url: must not be at a link-local address or a cloud metadata service';
  for (const host of [
    '169.254.169.254',
    '2852039166', // the same, as one number
    '[fe80::1]',
    '[::ffff:169.254.169.254]',
    'metadata.google.internal',
    'METADATA.google.internal.',
    '[fd00:ec2::254]',
    '100.100.100.200',
  ]) {
    const url = `http://${host}/latest`;
    const refused = [
      await api.control('POST /endpoints', { workspace: 'default', url }),
      await api.control(`PATCH /endpoints/${endpointId}`, { url }),
    ];
    expect(refused.map(({ status, body }) => [status, body.message])).toEqual([
      [422, message],
      [422, message],
    ]);
    await expect(startEmulator({ port: 0, endpoints: [{ workspace: 'default', url }] })).rejects.toThrow(
      'must not be at a link-local address',
    );
  }
  expect((await newEndpoint({ url: 'https://hooks.example/169.254.169.254' })).id).toBeDefined();
});

test('a task tells its life in signed events, in both generations of headers', async () => {
  const id = await api.accepted('image-l', { prompt: 'a fox' });
  await until(() => receiver.of(id).length === 3);
  // They go out side by side, so nothing is promised about the order of their arrival.
  expect(receiver.types(id).toSorted()).toEqual(['task.completed', 'task.created', 'task.started']);
  for (const one of receiver.of(id)) {
    const { headers, raw, payload } = one;
    expect(verifies(SECRET, one)).toBe(true);
    expect(webhookEventSchema.safeParse(payload).success).toBe(true);
    const legacy = createHmac('sha256', SECRET)
      .update(`${String(headers['x-webhook-timestamp'])}.${raw}`)
      .digest('hex');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-webhook-signature': `v1=${legacy}`,
      'x-webhook-timestamp': headers['webhook-timestamp'],
      'x-webhook-event-id': headers['webhook-id'],
      'x-webhook-event-type': payload.event,
    });
  }
  const [created, completed] = ['task.created', 'task.completed'].map((type) => predictionOf(id, type));
  expect(created).toMatchObject({
    state: 'queued',
    started_at: null,
    artifacts: [],
    input: { prompt: 'a fox', n: 1 },
  });
  expect(created.credits).toEqual({ available: 1_009_992, usage: 8 });
  expect(completed).toMatchObject({ status: 'succeeded', error: null, workspace: 'default' });
  expect(completed.artifacts[0]).toMatchObject({ type: 'image', asset: { mime: 'image/png', width: 2 } });
  expect(completed.artifacts[0].url).toBe((await api.get(id)).body.data.image.url);
});

test('a failed and a canceled task say so, with the sanitized error', async () => {
  await api.control('POST /faults', { on: 'task', nth: 1, fault: { kind: 'fail', code: 'TIMEOUT' } });
  await api.control('POST /faults', { on: 'task', fault: { kind: 'cancel' } });
  const failed = await api.accepted('video-g', { prompt: 'x' });
  const canceled = await api.accepted('video-g', { prompt: 'x' });
  await until(() => receiver.received.length === 6);
  expect(predictionOf(failed, 'task.failed')).toMatchObject({
    state: 'failed',
    error: { code: 'VIDEO_GENERATION_TIMEOUT', message: 'The generation timed out.' },
    artifacts: [],
  });
  expect(predictionOf(canceled, 'task.canceled')).toMatchObject({ state: 'canceled', error: null });
});

test('an endpoint gets the events of its workspace that its filter names, while it is enabled', async () => {
  const filtered = await newEndpoint({ events: ['task.failed'] });
  const disabled = await newEndpoint({ enabled: false });
  await api.control('POST /workspaces', { id: 'elsewhere', credits: { permanent: 100 } });
  const foreign = await newEndpoint({ workspace: 'elsewhere' });
  const id = await api.accepted('image-l', { prompt: 'x' });
  await until(() => receiver.types(id).includes('task.completed'));
  expect(receiver.of(id)).toHaveLength(3);
  for (const endpoint of [filtered, disabled, foreign]) expect(await deliveries(endpoint.id)).toEqual([]);
});

test('what is not acknowledged is sent again under its id, until it is or the retries are used up', async () => {
  receiver.answers.push(500, 302, 204);
  await api.control(`PATCH /endpoints/${endpointId}`, { events: ['task.created'] });
  await api.accepted('image-l', { prompt: 'x' });
  const [done] = await until(
    async () => (await deliveries())[0]?.state === 'success' && (await deliveries()),
  );
  expect(done.attempts.map(({ status }: { status: number }) => status)).toEqual([500, 302, 204]);
  expect(done.attempts[0].answer).toBe('noted');
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(receiver.received.every((one) => verifies(SECRET, one))).toBe(true);

  receiver.answers.push(500, 500, 500);
  await api.accepted('image-l', { prompt: 'x' });
  const [given] = await until(
    async () => (await deliveries())[0]?.state === 'failed' && (await deliveries()),
  );
  expect(given.attempts).toHaveLength(3);
  await api.control(`POST /deliveries/${given.id}/redeliver`);
  await until(async () => (await api.control(`GET /deliveries/${given.id}`)).body.state === 'success');
});

test.each([
  [200, true],
  [201, true],
  [202, true],
  [204, true],
  [299, true],
  [300, false],
  [304, false],
  [400, false],
  [410, false],
  [500, false],
])('an answer %i acknowledges a delivery: %j', async (status, acknowledges) => {
  receiver.answers.push(status, 204);
  await api.control(`PATCH /endpoints/${endpointId}`, { events: ['task.created'] });
  await api.accepted('image-l', { prompt: 'x' });
  const [done] = await until(
    async () => (await deliveries())[0]?.state === 'success' && (await deliveries()),
  );
  const statuses = done.attempts.map((attempt: Json) => attempt.status);
  expect(statuses).toEqual(acknowledges ? [status] : [status, 204]);
});

test('a receiver that takes too long, and one that is not there, count as not having acknowledged', async () => {
  receiver.delay = 1500;
  const dead = await newEndpoint({ url: 'http://127.0.0.1:9/', events: ['task.created'] });
  await api.control(`PATCH /endpoints/${endpointId}`, { events: ['task.created'] });
  await api.accepted('image-l', { prompt: 'x' });
  const slow = await until(async () => (await deliveries())[0]?.attempts[0]);
  expect(slow).toMatchObject({ status: null, error: expect.stringMatching(/timeout/i) });
  const absent = await until(async () => (await deliveries(dead.id))[0]?.attempts[0]);
  expect(absent).toMatchObject({ status: null, error: expect.stringContaining('ECONNREFUSED') });
});

test('a delivery is pending, then processing, then done', async () => {
  receiver.answers.push(503);
  await api.control(`PATCH /endpoints/${endpointId}`, { events: ['task.created'] });
  const { changes, deliveries } = emulator.service();
  const states: (string | undefined)[] = [];
  const unsubscribe = changes.subscribe(({ kind, id }) => {
    if (kind === 'delivery') states.push(deliveries.log.get(id)?.state);
  });
  await api.accepted('image-l', { prompt: 'x' });
  await until(() => states.includes('success'));
  unsubscribe();
  expect(states).toEqual(['pending', 'processing', 'pending', 'processing', 'success']);
});

test('after a rotation both secrets verify for a while, then the new one alone', async () => {
  const { body: overlapping } = await api.control(`POST /endpoints/${endpointId}/rotate`);
  expect(overlapping.secret).toMatch(/^whsec_/);
  const one = await api.accepted('image-l', { prompt: 'x' });
  await until(() => receiver.of(one).length === 3);
  for (const received of receiver.of(one)) {
    expect(String(received.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect([verifies(SECRET, received), verifies(overlapping.secret, received)]).toEqual([true, true]);
  }
  const { body: replaced } = await api.control(`POST /endpoints/${endpointId}/rotate`, { overlapMs: 0 });
  const other = await api.accepted('image-l', { prompt: 'x' });
  const received = await until(() => receiver.of(other)[0]);
  expect(verifies(replaced.secret, received)).toBe(true);
  const { body } = await api.control(`GET /endpoints/${endpointId}/secret`);
  expect(body.secret).toBe(replaced.secret);
});

test('a test delivery is signed like the others and says that it is one', async () => {
  const { body } = await api.control(`POST /endpoints/${endpointId}/test`, { event: 'task.failed' });
  expect(body.test).toBe(true);
  const received = await until(() => receiver.received[0]);
  expect(verifies(SECRET, received)).toBe(true);
  expect(received.payload).toMatchObject({ event: 'task.failed', test: true });
});

test('a delivery that could not be queued has failed without an attempt', async () => {
  const fault = { kind: 'lost' };
  await api.control('POST /faults', { on: 'webhook', match: { event: 'task.created' }, fault });
  await api.accepted('image-l', { prompt: 'x' });
  const [lost] = await until(async () => {
    const failed = (await deliveries()).filter(({ state }) => state === 'failed');
    return failed.length === 1 && failed;
  });
  expect(lost).toMatchObject({ type: 'task.created', attempts: [], nextAttemptAt: null });
});

test.each<[string, object, (events: string[]) => void]>([
  ['lost', { kind: 'lost' }, (events) => expect(events).not.toContain('task.created')],
  [
    'repeated',
    { kind: 'repeated', times: 2 },
    (events) => expect(events.filter((event) => event === 'task.created')).toHaveLength(3),
  ],
  ['late', { kind: 'late', ms: 400 }, (events) => expect(events.at(-1)).toBe('task.created')],
  [
    'reordered',
    { kind: 'reordered' },
    (events) => expect(events.indexOf('task.created')).toBeGreaterThan(events.indexOf('task.started')),
  ],
  [
    'unacknowledged',
    { kind: 'unacknowledged' },
    (events) => expect(events.filter((event) => event === 'task.created')).toHaveLength(2),
  ],
  [
    'sent to a dead endpoint',
    { kind: 'dead-endpoint' },
    (events) => expect(events).not.toContain('task.created'),
  ],
])('webhooks can be %s', async (_how, fault, check) => {
  await api.control('POST /faults', { on: 'webhook', match: { event: 'task.created' }, fault });
  const id = await api.accepted('image-l', { prompt: 'x' });
  await until(async () => {
    const list = await deliveries();
    return list.length === 3 && list.every(({ state }) => state === 'success' || state === 'failed');
  });
  check(receiver.types(id));
  const { body } = await api.control('GET /counters');
  expect(body.faults).toEqual({ [`webhook.${(fault as { kind: string }).kind}`]: 1 });
});

test('webhooks can be wrongly signed, for so many attempts', async () => {
  receiver.answers.push(401);
  const fault = { kind: 'wrongly-signed', attempts: 1 };
  await api.control('POST /faults', { on: 'webhook', match: { event: 'task.created' }, fault });
  await api.control(`PATCH /endpoints/${endpointId}`, { events: ['task.created'] });
  await api.accepted('image-l', { prompt: 'x' });
  await until(() => receiver.received.length === 2);
  expect(receiver.received.map((one) => verifies(SECRET, one))).toEqual([false, true]);
});
