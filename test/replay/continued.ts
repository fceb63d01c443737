import { randomUUID } from 'node:crypto';
import { startBatch } from '../../src/client/batch/start-batch.ts';
import type { PipelineProgress } from '../../src/contract/pipeline.ts';
import { entityId } from '../../src/contract/workflow-ids.ts';
import { goesOn, type Nudge } from '../workflows/short-histories.ts';
import { eventually, FAST, type Generation, image, WEBHOOK_ONLY, type World } from '../workflows/world.ts';
import {
  ended,
  failTasks,
  loseSubmits,
  REPORT,
  reserve,
  reservingAccount,
  type Scenario,
} from './scenarios.ts';

const POLLS = { ...FAST, polling: { first: '30ms', factor: 1, max: '30ms' } };
const ASKS = { ...POLLS, reconcile: { wait: '100ms', otherwise: 'ask' } };

/** Anybody can send it; it is of no use to the run. */
const SIGNAL: Nudge = (latest) =>
  latest.signal('taskEvent', { webhookId: 'none', type: 'task.started', taskId: 'another' });

/** A run that is let go on in another one while it is in that state, and then ends. */
async function continued(
  world: World,
  handle: Generation,
  state: Parameters<World['until']>[1],
  release: (latest: Generation) => unknown,
  nudge?: Nudge,
): Promise<string[]> {
  await world.until(handle, state);
  const latest = await goesOn(world, handle.workflowId, nudge);
  await world.until(latest, state);
  await release(latest);
  return await ended(latest);
}

const decide = async (latest: Generation, action: string): Promise<void> => {
  // A run that goes on in another one at this very moment takes no decision.
  await eventually(() => latest.executeUpdate('decide', { args: [{ action }] }));
};

function emptyPools(world: World): () => void {
  const workspace = world.emulator.service().accounts.workspace('default');
  if (workspace === undefined) throw new Error('no default workspace');
  const { pools } = workspace;
  Object.assign(workspace, { pools: { ...pools, permanent: 1, subscription: 0 } });
  return () => Object.assign(workspace, { pools });
}

function parks(pause: string) {
  const row = { initial: pause, factor: 1, max: pause, window: '1d' };
  return { ...WEBHOOK_ONLY, retries: { ...FAST.retries, INSUFFICIENT_CREDITS: row } };
}

/** Paths over continue-as-new: of a server that finds a history long much sooner. */
export const SHORT_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'continued-while-waiting': async (world) => {
    const release = world.hold('for long');
    return await continued(world, await world.start(image('for long', POLLS)), 'waiting', release);
  },
  'continued-while-storing': async (world) => {
    const match = { promptIncludes: 'held up' };
    world.fault({ on: 'file', id: 'held up', match, fault: { kind: 'expired', status: 404 } });
    const handle = await world.start(image('held up', { ...FAST, outputs: { wait: '1h' } }));
    const release = () => world.emulator.service().faults.remove('held up');
    return await continued(world, handle, 'storing', release);
  },
  'continued-while-parked': async (world) => {
    const release = emptyPools(world);
    const handle = await world.start(image('parked', parks('50ms')));
    return await continued(world, handle, 'parked', release);
  },
  'continued-gate': async (world) => {
    const release = emptyPools(world);
    const handle = await world.start(image('parked at a gate', parks('1h')));
    await world.until(handle, 'parked');
    const gate = entityId('credit-gate', 'default', world.config.taskQueue);
    const another = {
      parkId: 'another',
      workflowId: handle.workflowId,
      parkedSince: Date.now(),
      pace: { initial: 3_600_000, factor: 1, max: 3_600_000 },
      price: 8,
    };
    const latest = await goesOn(world, gate, (one) => one.signal('parked', another));
    const { runId } = await latest.describe();
    release();
    await handle.executeUpdate('checkNow');
    return [...(await ended(handle)), { workflowId: gate, runId }];
  },
  'continued-while-reconciling': async (world) => {
    world.loseAnswer('sought for long');
    world.loseWebhooks('sought for long');
    const policy = { ...POLLS, reconcile: { wait: '30s', otherwise: 'fail' } };
    const handle = await world.start(image('sought for long', policy));
    const tell = async () => {
      const [taskId = ''] = world.bought(handle);
      await world.tellOfCreation(taskId, { prompt: 'sought for long', n: 1 });
    };
    return await continued(world, handle, 'reconciling', tell, SIGNAL);
  },
  'continued-while-asking': async (world) => {
    loseSubmits(world, 'asks for weeks');
    const handle = await world.start(image('asks for weeks', ASKS));
    const resubmit = (latest: Generation) => decide(latest, 'resubmit');
    return await continued(world, handle, 'needs a decision', resubmit, SIGNAL);
  },
  'continued-while-asking-about-a-task': async (world) => {
    world.fault({ on: 'task', match: { promptIncludes: 'gone for weeks' }, fault: { kind: 'vanish' } });
    const handle = await world.start(image('gone for weeks', { ...ASKS, vanished: { wait: '100ms' } }));
    return await continued(world, handle, 'needs a decision', (latest) => decide(latest, 'fail'));
  },
  'continued-evidence': async (world) => {
    await world.tellOfCreation('first', { prompt: 'first', n: 1 }, { entryLife: 3_000 });
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'carried over' },
      times: 1,
      fault: { kind: 'lost-after' },
    });
    const handle = await world.start(image('carried over'));
    const entity = entityId('unclaimed-tasks', 'default', world.config.taskQueue);
    let told = 0;
    await goesOn(world, entity, async () => {
      told += 1;
      await world.tellOfCreation(`foreign-${told}`, { prompt: `foreign ${told}`, n: 1 });
    });
    return [...(await ended(handle)), entity];
  },
  'continued-pace': async (world) => {
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'slowed' },
      times: 8,
      fault: { kind: 'error', code: 'RATE_LIMITED' },
    });
    const handles = await Promise.all([0, 1, 2, 3].map((n) => world.start(image(`slowed ${n}`))));
    await Promise.all(handles.map(ended));
    const pace = entityId('submit-pace', 'default', world.config.taskQueue);
    const latest = await goesOn(world, pace, (handle) =>
      handle.executeUpdate('reportSubmits', { args: [REPORT] }),
    );
    await latest.cancel();
    return await ended(latest);
  },
  'continued-account': async (world) => {
    const account = await reservingAccount(world);
    const latest = await goesOn(world, account.workflowId, () => reserve(account));
    await reserve(latest);
    return [latest.workflowId];
  },
  'continued-pipeline': async (world) => {
    failTasks(world, 'fails early', 'INVALID_INPUT', 1);
    const views = { model: 'image-l', input: { prompt: 'views', n: 4 } };
    const large = (input: object) => ({ model: 'upscale-q', input: { image_url: input } });
    const handle = await world.pipeline({
      policy: FAST,
      allowPartial: true,
      budget: { credits: 500 },
      steps: {
        broken: { model: 'image-l', input: { prompt: 'fails early' } },
        views,
        each: large({ $each: 'views' }),
        late: { ...large({ $from: 'each' }), approve: true },
        last: large({ $from: 'late' }),
      },
    });
    await eventually(async () => {
      const { steps } = await handle.query<PipelineProgress>('progress');
      if (steps['late']?.status !== 'approval') throw new Error('nobody is asked yet');
    });
    await eventually(() => handle.executeUpdate('approve', { args: [{ step: 'late' }] }));
    return await ended(handle);
  },
  'continued-batch': async (world) => {
    const still = { model: 'image-l', input: { prompt: { $param: 'prompt' } } };
    const workflowId = `batch/${randomUUID()}`;
    const rows = Array.from({ length: 12 }, (_, index) => ({
      id: `row-${index}`,
      values: { prompt: `row ${index}` },
      digest: `digest-${index}`,
    }));
    const { taskQueue } = world.config;
    const pipeline = { policy: FAST, steps: { still } };
    await startBatch(world.client, { workflowId, taskQueue, pipeline, rows, concurrency: 2 });
    return await ended(world.client.workflow.getHandle(workflowId));
  },
};
