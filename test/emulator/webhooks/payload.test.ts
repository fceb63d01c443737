import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { testPayload } from '../../../emulator/src/webhooks/payload.ts';
import type { EventType } from '../../../src/api/events/event-types.ts';
import { ApiCaller, type Json } from '../api-caller.ts';
import { until } from '../until.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

let emulator: Emulator;
let api: ApiCaller;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    durations: { queue: 0, run: 0 },
    webhooks: { retries: [], timeout: 5_000 },
    templates: [
      { id: 'tpl', name: 'Postcard', model: null, workspace: null, input: { prompt: 'a postcard' } },
    ],
  });
  api = new ApiCaller(emulator);
});
afterAll(async () => {
  await emulator.close();
  await receiver[Symbol.asyncDispose]();
});

/** What a task's events tell of it, once it has completed. */
async function told(input: object): Promise<Json[]> {
  await using endpoint = await listening();
  const id = await api.accepted('image-l', input);
  return await until(() => {
    const events = endpoint.receiver.of(id).map(({ payload }) => payload);
    return events.length === 3 && events.map(({ prediction }) => prediction);
  });
}

async function listening(): Promise<AsyncDisposable & { id: string; receiver: WebhookReceiver }> {
  const { body } = await api.control('POST /endpoints', { workspace: 'default', url: receiver.url });
  const close = async (): Promise<void> => void (await api.control(`DELETE /endpoints/${body.id}`));
  return { id: body.id, receiver, [Symbol.asyncDispose]: close };
}

describe('the events of a task', () => {
  test('tell which template it was created from, or that it was from none', async () => {
    const templates = async (input: object): Promise<unknown[]> =>
      (await told(input)).map(({ template }) => template);
    const postcard = { id: 'tpl', name: 'Postcard' };
    expect(await templates({ template_id: 'tpl' })).toEqual([postcard, postcard, postcard]);
    expect(await templates({ prompt: 'x' })).toEqual([null, null, null]);
  });

  test('tell what it has used, and what is available after it', async () => {
    await api.control('PUT /workspaces/default/credits', { permanent: 100, subscription: 5 });
    const credits = (await told({ prompt: 'x' })).map((prediction) => prediction.credits);
    const after = { available: 97, usage: 8 };
    expect(credits).toEqual([after, after, after]);
    expect((await api.credits()).body.available).toBe(97);
  });
});

const TIME = expect.stringMatching(/^\d{4}-.*Z$/);

test.each<[EventType, object]>([
  ['task.created', { state: 'queued', status: 'queued', started_at: null, completed_at: null }],
  ['task.started', { state: 'running', status: 'running', started_at: TIME, completed_at: null }],
  ['task.completed', { state: 'succeeded', status: 'succeeded', started_at: TIME, completed_at: TIME }],
  [
    'task.failed',
    {
      state: 'failed',
      status: 'failed',
      started_at: TIME,
      completed_at: TIME,
      error: { code: 'TEST', message: 'This is a test delivery.' },
    },
  ],
  ['task.canceled', { state: 'canceled', status: 'canceled', started_at: TIME, completed_at: TIME }],
])('a test delivery of %s tells of no task, and nothing but what such an event tells', (event, told) => {
  const [known] = emulator.service().accounts.workspaces();
  if (known === undefined) throw new Error('There is no workspace');
  const workspace = { ...known, pools: { permanent: 7, subscription: 0, subscriptionExpiresAt: 0 } };
  expect(testPayload(event, workspace, { test: true })).toEqual({
    event,
    test: true,
    prediction: {
      id: 'test',
      input: {},
      template: null,
      error: null,
      logs: null,
      created_at: TIME,
      workspace: 'default',
      owner: null,
      artifacts: [],
      credits: { available: 7, usage: 0 },
      ...told,
    },
  });
});

/** How a test delivery ends that the receiver answers with that status: its state, and the status that is shown. */
async function answered(status: number): Promise<unknown[]> {
  await using endpoint = await listening();
  receiver.answers.push(status);
  const { body } = await api.control(`POST /endpoints/${endpoint.id}/test`);
  const { state, attempts } = await until(async () => {
    const { body: now } = await api.control(`GET /deliveries/${body.id}`);
    return now.attempts.length > 0 && now;
  });
  return [state, attempts[0].status];
}

test.each([200, 201, 202, 204, 206, 299])(
  'a delivery that is answered %i is acknowledged',
  async (status) => {
    expect(await answered(status)).toEqual(['success', status]);
  },
);

test.each([300, 304, 400, 404, 410, 500])(
  'a delivery that is answered %i is not acknowledged',
  async (status) => {
    expect(await answered(status)).toEqual(['failed', status]);
  },
);

test('of an endpoint the 20 most recent attempts are shown, not fewer and not more', async () => {
  await using endpoint = await listening();
  const attempts = async (count: number): Promise<number> => {
    for (let sent = 0; sent < count; sent += 1) await api.control(`POST /endpoints/${endpoint.id}/test`);
    const shown = await until(async () => {
      const { body } = await api.control(`GET /endpoints/${endpoint.id}/deliveries`);
      return body.every(({ state }: { state: string }) => state === 'success') && body;
    });
    return shown.flatMap((delivery: Json) => delivery.attempts).length;
  };
  expect(await attempts(19)).toBe(19);
  expect(await attempts(1)).toBe(20);
  expect(await attempts(1)).toBe(20);
});
