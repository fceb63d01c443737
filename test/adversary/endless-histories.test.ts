import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, FAST, image, type World } from '../workflows/world.ts';
import { openShortWorld } from './short-histories.ts';

let world: World;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ world, close } = await openShortWorld(60, { emulator: { durations: { queue: 20, run: 4_000 } } }));
});
afterAll(() => close());

const POLLS = { ...FAST, polling: { first: '30ms', factor: 1, max: '30ms' } };

it('a run that asks about a vanished task does not grow without end', async () => {
  const match = { promptIncludes: 'gone while asked' };
  world.fault({ on: 'task', match, fault: { kind: 'vanish' } });
  const policy = { ...POLLS, reconcile: { wait: '1s', otherwise: 'ask' } };
  const handle = await world.start(image('gone while asked', policy));
  const latest = world.client.workflow.getHandle(handle.workflowId);
  await world.until(latest, 'needs a decision');
  let length = 0;
  await eventually(async () => {
    length = (await latest.describe()).historyLength;
    expect(length).toBeGreaterThan(400);
  }).catch(() => undefined);
  await latest.terminate();
  console.log('asking, events:', length);
  expect(length).toBeLessThan(200);
}, 60_000);

it('a parked run does not grow without end', async () => {
  world.fault({
    on: 'submit',
    match: { promptIncludes: 'parked long' },
    fault: { kind: 'error', status: 402, code: 'INSUFFICIENT_CREDITS' } as never,
  });
  const policy = {
    ...POLLS,
    retries: { INSUFFICIENT_CREDITS: { initial: '20ms', factor: 1, max: '20ms', window: '1h' } },
  };
  const handle = await world.start(image('parked long', policy));
  const latest = world.client.workflow.getHandle(handle.workflowId);
  await world.until(latest, 'parked');
  let length = 0;
  await eventually(async () => {
    length = (await latest.describe()).historyLength;
    expect(length).toBeGreaterThan(400);
  }).catch(() => undefined);
  await latest.terminate();
  console.log('parked, events:', length);
  expect(length).toBeLessThan(200);
}, 60_000);
