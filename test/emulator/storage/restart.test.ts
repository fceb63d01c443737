import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../emulator/src/server.ts';
import { ApiCaller } from '../api-caller.ts';
import { until } from '../until.ts';
import { WebhookReceiver } from '../webhooks/webhook-receiver.ts';

let folder: string;
let options: EmulatorOptions;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emulator-restart-'));
  options = {
    port: 0,
    media: 'tiny',
    dbFile: join(folder, 'emulator.db'),
    webhooks: { retries: [50, 50, 50], timeout: 500 },
  };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Starts again on the same file and the same port. */
async function again(emulator: Emulator, more: EmulatorOptions = {}): Promise<Emulator> {
  await emulator.close();
  return await startEmulator({ ...options, ...more, port: emulator.port });
}

test('a restart loses nothing: queued and running tasks go on, finished ones stay, so do keys and charges', async () => {
  const first = await startEmulator({ ...options, durations: { queue: 0, run: 0 } });
  const done = await new ApiCaller(first).accepted('image-l', { prompt: 'done' });
  await new ApiCaller(first).settled(done);

  const second = await again(first, { durations: { queue: 0, run: 400 } });
  const running = await new ApiCaller(second).accepted('image-l', { prompt: 'running' });
  await until(async () => (await new ApiCaller(second).get(running)).body.status === 'IN_PROGRESS');
  const third = await again(second, { durations: { queue: 400, run: 0 } });
  const queued = await new ApiCaller(third).accepted('image-l', { prompt: 'queued' });

  const last = await again(third);
  expect(last.apiKey).toBe(first.apiKey);
  const api = new ApiCaller(last);
  const states = [done, running, queued].map(async (id) => (await api.settled(id)).status);
  expect(await Promise.all(states)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
  const { body } = await api.control('GET /ledger');
  expect(body.totals).toMatchObject({ charges: 3, credits: 24 });
  expect((await api.credits()).body.available).toBe(1_010_000 - 24);
  const { data } = (await api.get(done)).body;
  expect((await fetch(data.image.url)).status).toBe(200);
  await last.close();
});

test('deliveries that were not acknowledged are resumed, also those that were under way', async () => {
  await using receiver = await WebhookReceiver.start();
  receiver.answers.push(...Array.from({ length: 3 }, () => 503));
  const first = await startEmulator({
    ...options,
    durations: { queue: 0, run: 0 },
    endpoints: [{ workspace: 'default', url: receiver.url }],
    webhooks: { retries: [60_000], timeout: 500 },
  });
  const id = await new ApiCaller(first).accepted('image-l', { prompt: 'x' });
  await until(() => receiver.of(id).length === 3);
  await until(
    async () => (await new ApiCaller(first).control('GET /counters')).body.deliveries.pending === 3,
  );
  const state = first.service().storage.table<{ id: string; nextAttemptAt: number }>('deliveries');
  for (const delivery of state.all()) state.put(delivery.id, { ...delivery, nextAttemptAt: Date.now() });
  const second = await again(first, { endpoints: [{ workspace: 'default', url: receiver.url }] });
  await until(() => receiver.of(id).length === 6);
  const { body } = await new ApiCaller(second).control('GET /deliveries');
  expect(body).toHaveLength(3);
  expect((await new ApiCaller(second).control('GET /endpoints')).body).toHaveLength(1);
  await second.close();
});

test('fault rules go on counting, and a new one replaces none that it was not named after', async () => {
  const once: EmulatorOptions = {
    faults: [{ on: 'credits', times: 1, fault: { kind: 'error', code: 'NOT_FOUND' } }],
  };
  const first = await startEmulator({ ...options, ...once });
  expect((await new ApiCaller(first).credits()).status).toBe(404);
  const hang = { on: 'task', fault: { kind: 'hang' } };
  const [removed, stays] = (await new ApiCaller(first).control('POST /faults', [hang, hang])).body;
  await new ApiCaller(first).control(`DELETE /faults/${removed.id}`);

  await using second = await again(first, once).then((started) => ({
    api: new ApiCaller(started),
    [Symbol.asyncDispose]: () => started.close(),
  }));
  expect((await second.api.credits()).status).toBe(200);
  const [added] = (await second.api.control('POST /faults', hang)).body;
  expect(added.id).not.toBe(stays.id);
  expect((await second.api.control('GET /faults')).body).toHaveLength(3);
});

test('a start that fails leaves the file free for the next one', async () => {
  const endpoints = [{ workspace: 'default', url: 'http://169.254.169.254/' }];
  await expect(startEmulator({ ...options, endpoints })).rejects.toThrow(/link-local/);
  const emulator = await startEmulator(options);
  await emulator.close();
});

test('a file that is in use, or is no database, is refused with a message that says so', async () => {
  const emulator = await startEmulator(options);
  await expect(startEmulator(options)).rejects.toThrow(/another process/);
  await emulator.close();
  await expect(startEmulator({ ...options, dbFile: folder })).rejects.toThrow(/cannot be used/);
});
