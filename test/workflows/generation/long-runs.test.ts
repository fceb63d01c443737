import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTemporal } from '../../../src/local/temporal/open-temporal.ts';
import { resetRun } from '../../reset-run.ts';
import { FAST, type Generation, image, openWorld, type World } from '../world.ts';

let world: World;
let stop: () => Promise<void>;
beforeAll(async () => {
  // A server that wants histories to end early, so that a test need not wait for thousands of events.
  const temporal = await openTemporal({
    ui: false,
    env: { ...process.env, TEMPORAL_ADDRESS: '' },
    ports: { grpc: 0, ui: 0 },
    dynamicConfig: {
      'history.timerProcessorMaxTimeShift': '5ms',
      'limit.historyCount.suggestContinueAsNew': 60,
    },
  });
  ({ stop } = temporal);
  world = await openWorld({
    config: { temporal: { address: temporal.address, namespace: temporal.namespace } },
  });
});
afterAll(async () => {
  await world.close();
  await stop();
});

const POLLS = { ...FAST, polling: { first: '30ms', factor: 1, max: '30ms' } };

it('a run that polls for long goes on in a new one, is found by its webhook, and buys nothing again', async () => {
  world.fault({ on: 'task', match: { promptIncludes: 'for long' }, fault: { kind: 'slow', ms: 4_000 } });
  const handle = await world.start(image('for long', POLLS));
  const { runId } = await handle.describe();
  const result = await handle.result();
  expect(result.attempts).toMatchObject([{ outcome: 'completed', adopted: false }]);
  const latest: Generation = world.client.workflow.getHandle(handle.workflowId);
  expect((await latest.describe()).runId).not.toBe(runId);
  expect(world.charges(handle.workflowId)).toHaveLength(1);
  expect(result.charged).toEqual(result.usage);
});

it('a Reset of a run that goes on for a long one buys nothing again', async () => {
  world.fault({ on: 'task', match: { promptIncludes: 'reset later' }, fault: { kind: 'slow', ms: 4_000 } });
  const handle = await world.start(image('reset later', POLLS));
  const { taskId } = await handle.result();
  const latest: Generation = world.client.workflow.getHandle(handle.workflowId);
  await resetRun(world.client, handle.workflowId);
  const again = await latest.result();
  expect(again.taskId).toBe(taskId);
  expect(again.charged.total).toBe(0);
  expect(world.charges(handle.workflowId)).toHaveLength(1);
});

it('a failed task is bought again after a long wait, once', async () => {
  const match = { promptIncludes: 'fails late' };
  world.fault({ on: 'task', match, times: 1, fault: { kind: 'slow', ms: 4_000 } });
  world.fault({ on: 'task', match, times: 1, fault: { kind: 'fail', code: 'TIMEOUT' } });
  const handle = await world.start(image('fails late', POLLS));
  const { attempts } = await handle.result();
  expect(attempts.filter(({ outcome }) => outcome === 'completed')).toHaveLength(1);
  expect(world.charges(handle.workflowId)).toHaveLength(attempts.length);
});
