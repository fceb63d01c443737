import { vi } from 'vitest';
import { entityId } from '../../src/workflows/names.ts';
import { FAST, WEBHOOK_ONLY, type World } from '../workflow/world.ts';

/** Makes a path of a workflow happen; returns the workflow ids whose latest runs show it. */
type Scenario = (world: World) => Promise<string[]>;

const image = (prompt: string, policy: unknown = FAST) => ({ model: 'image-l', input: { prompt }, policy });
const ASK = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } };

async function ended(handle: { workflowId: string; result(): Promise<unknown> }): Promise<string[]> {
  await handle.result().catch(() => undefined); // a failure is a path, too
  return [handle.workflowId];
}

/** Every path that a stored history pins: code that no longer replays one of them breaks running workflows. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'settled-by-webhook': async (world) => ended(await world.start(image('webhook', WEBHOOK_ONLY))),
  'settled-by-poll': async (world) => {
    world.fault({ on: 'webhook', match: { promptIncludes: 'poll' }, fault: { kind: 'lost' } });
    return ended(await world.start(image('poll')));
  },
  'invalid-request': async (world) => ended(await world.start({ model: 'image-l', input: {} })),
  rejected: async (world) => {
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'rejected' },
      fault: { kind: 'error', code: 'INVALID_INPUT' },
    });
    return ended(await world.start(image('rejected')));
  },
  resubmitted: async (world) => {
    world.fault({
      on: 'task',
      match: { promptIncludes: 'resubmitted' },
      times: 1,
      fault: { kind: 'fail', code: 'TIMEOUT' },
    });
    return ended(await world.start(image('resubmitted')));
  },
  'lost-and-claimed': async (world) => {
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'claimed' },
      times: 1,
      fault: { kind: 'lost-after' },
    });
    const ids = await ended(await world.start(image('claimed')));
    return [...ids, entityId('unclaimed-tasks', 'default', world.config.taskQueue)];
  },
  'decided-by-a-person': async (world) => {
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'decided' },
      times: 1,
      fault: { kind: 'lost-before' },
    });
    const handle = await world.start(image('decided', ASK));
    await world.until(handle, 'needs a decision');
    await handle.executeUpdate('decide', { args: [{ action: 'resubmit' }] });
    return ended(handle);
  },
  overdue: async (world) => {
    world.fault({ on: 'task', match: { promptIncludes: 'overdue' }, fault: { kind: 'hang' } });
    return ended(await world.start(image('overdue', { ...FAST, deadline: '300ms' })));
  },
  vanished: async (world) => {
    world.fault({ on: 'task', match: { promptIncludes: 'vanished' }, fault: { kind: 'vanish' } });
    return ended(await world.start(image('vanished')));
  },
  cancelled: async (world) => {
    world.fault({ on: 'task', match: { promptIncludes: 'cancelled' }, fault: { kind: 'hang' } });
    const handle = await world.start(image('cancelled', WEBHOOK_ONLY));
    await world.until(handle, 'waiting');
    await handle.cancel();
    return ended(handle);
  },
  parked: async (world) => {
    const { accounts } = world.emulator.service();
    const workspace = accounts.workspace('default');
    if (workspace === undefined) throw new Error('no default workspace');
    const { pools } = workspace;
    Object.assign(workspace, { pools: { ...pools, permanent: 1, subscription: 0 } });
    const handle = await world.start(image('parked', WEBHOOK_ONLY));
    await world.until(handle, 'parked');
    Object.assign(workspace, { pools });
    return [...(await ended(handle)), entityId('credit-gate', 'default', world.config.taskQueue)];
  },
  'reset-and-adopted': async (world) => {
    const [workflowId = ''] = await ended(await world.start(image('reset')));
    const handle = world.client.workflow.getHandle(workflowId);
    const { runId } = await handle.describe();
    await world.client.workflowService.resetWorkflowExecution({
      namespace: world.config.temporal.namespace,
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId: 4 as never, // an int64: the generated types want Long, the encoder takes numbers
      requestId: crypto.randomUUID(),
      reason: 'a stored history',
    });
    return ended(handle);
  },
  'expired-output': async (world) => {
    world.fault({ on: 'file', match: { promptIncludes: 'expired' }, fault: { kind: 'expired' } });
    return ended(await world.start(image('expired')));
  },
  'pipeline-with-fan-out': async (world) =>
    ended(
      await world.pipeline({
        policy: FAST,
        steps: {
          stills: { model: 'image-l', input: { prompt: 'fan', n: 2 } },
          large: { model: 'upscale-q', input: { image_url: { $each: 'stills' } } },
        },
      }),
    ),
  'pipeline-partial': async (world) => {
    world.fault({
      on: 'task',
      match: { promptIncludes: 'broken' },
      fault: { kind: 'fail', code: 'INVALID_INPUT' },
    });
    const steps = {
      bad: { model: 'image-l', input: { prompt: 'broken' } },
      good: { model: 'image-l', input: { prompt: 'good' } },
    };
    return ended(await world.pipeline({ policy: FAST, steps }));
  },
  'pipeline-terminated-and-started-again': async (world) => {
    world.fault({ on: 'task', match: { promptIncludes: 'again' }, fault: { kind: 'slow', ms: 800 } });
    const request = { policy: FAST, steps: { only: { model: 'image-l', input: { prompt: 'again' } } } };
    const handle = await world.pipeline(request);
    await vi.waitFor(async () => {
      const child = world.client.workflow.getHandle(`${handle.workflowId}/only`);
      if ((await child.describe()).status.name !== 'RUNNING') throw new Error('the child has not started');
    });
    await handle.terminate();
    return ended(await world.pipeline(request, handle.workflowId));
  },
};
