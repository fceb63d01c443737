import { RawValue } from '@temporalio/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Darkroom, startDarkroom } from '../../src/worker/start-darkroom.ts';
import { eventually, image, openWorld, type World } from '../workflows/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await world.stopWorker();
});
afterAll(() => world.close());

/** An answer that the SDK's core cannot decode: a protobuf string that is no UTF-8. */
const UNDECODABLE = RawValue.fromPayload({
  metadata: { encoding: Buffer.from('json/plain'), '\ud800': Buffer.from('') },
  data: Buffer.from('{}'),
});

async function startBroken(): Promise<Darkroom> {
  return await startDarkroom(
    { ...world.config, metrics: { host: '127.0.0.1', port: 0 } },
    {
      worker: true,
      receiver: false,
      preflight: false,
      log: { debug() {}, info() {}, warn() {} },
      // No answer of ours can be like that any more: this one stands for what else stops the core.
      activities: (activities) => ({ ...activities, submitTask: async () => UNDECODABLE as never }),
    },
  );
}

it('a worker whose core has shut down says so, is not ready any more, and can be stopped', async () => {
  const darkroom = await startBroken();
  const ready = new URL('/readyz', darkroom.metricsUrl);
  expect((await fetch(ready)).status).toBe(200);
  const handle = await world.start(image('a worker that breaks'));
  await expect(darkroom.failed).rejects.toThrow(Error);
  await eventually(async () => expect((await fetch(ready)).status).toBe(503));
  await darkroom.stop().catch(() => undefined);
  await handle.terminate();
});
