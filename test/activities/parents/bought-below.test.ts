import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../../emulator/src/index.ts';
import { type Bought, recordPrices } from '../../../src/activities/parents/bought-below.ts';
import { someAtOnce } from '../../../src/activities/some-at-once.ts';
import { MediaApi } from '../../../src/api/client/media-api.ts';
import type { BilledTask } from '../../../src/temporal/bill/run-bill.ts';

let emulator: Emulator;
let api: MediaApi;
beforeAll(async () => {
  emulator = await startEmulator({ port: 0, media: 'tiny' });
  api = new MediaApi(emulator.baseUrl);
  emulator.service().faults.add({ on: 'get', fault: { kind: 'html', status: 503 } });
});
afterAll(async () => {
  await api.close();
  await emulator.close();
});

const usage = { total: 8, subscription: 8, permanent: 0 };
const task: BilledTask = {
  taskId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  workflowId: 'pipeline/film/still',
  runId: 'run',
  model: 'image-l',
  workspace: 'default',
  tags: {},
  at: 0,
  credits: 8,
  refunded: 0,
  usage,
  isCharged: true,
};

/** What is told of a task without an end while the API is away, so many minutes after it was asked first. */
async function toldAfter(minutes: number): Promise<Bought | undefined> {
  const access = { apiKey: emulator.apiKey, webhookSecrets: [], legacy: 'refuse' as const };
  const deps = { api, workspaces: new Map([['default', access]]) };
  const scheduledTimestampMs = Date.now() - minutes * 60_000;
  const environment = new MockActivityEnvironment({ scheduledTimestampMs });
  let told: Bought | undefined;
  await environment.run(async () => {
    told = await recordPrices(deps, [task], { since: 0, ask: someAtOnce() });
  });
  return told;
}

it('a price that the API does not tell is asked again for ten minutes, and then is the one of the submit', async () => {
  expect((await toldAfter(9))?.unsure?.type).toBe('PRICE_UNKNOWN');
  expect(await toldAfter(10)).toEqual({ tasks: [task], unsure: undefined });
});
