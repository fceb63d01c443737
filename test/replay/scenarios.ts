import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { vi } from 'vitest';
import type { GenerationCode } from '../../src/api/codes.ts';
import { startBatch } from '../../src/client/batch/start-batch.ts';
import type { BatchProgress, BatchRequest } from '../../src/contract/batch.ts';
import { accountOfCap, type Booking } from '../../src/contract/entities/account.ts';
import type { Progress } from '../../src/contract/generation.ts';
import { bookUpdate, submitNotSentSignal } from '../../src/contract/messages.ts';
import type { PipelineProgress } from '../../src/contract/pipeline.ts';
import { entityId } from '../../src/contract/workflow-ids.ts';
import type { SubmitReport } from '../../src/policy/pace/types.ts';
import { readLatestRun } from '../../src/temporal/latest-run.ts';
import { ApiCaller } from '../emulator/api-caller.ts';
import { resetRun } from '../reset-run.ts';
import { eventually, FAST, image, WEBHOOK_ONLY, type World } from '../workflows/world.ts';

/** Of a worker that has nothing to tell. */
export const REPORT: SubmitReport = {
  reporter: 'another',
  accepted: 0,
  refused: 0,
  held: 0,
  pausedFor: 0,
  initial: 20,
  max: 60_000,
};

/** Makes a path of a workflow happen; returns the workflow ids whose latest runs, or the one named, show it. */
export type Scenario = (world: World) => Promise<Shown[]>;
type Shown = string | { workflowId: string; runId: string };

const unsure = (otherwise: string) => ({ ...FAST, reconcile: { wait: '100ms', otherwise } });
const ASK = unsure('ask');
const RESUBMIT = unsure('resubmit');

const always = Number.MAX_SAFE_INTEGER;
/** Submits of that prompt get no answer and buy nothing. */
export function loseSubmits(world: World, prompt: string, times = 1): void {
  world.fault({ on: 'submit', match: { promptIncludes: prompt }, times, fault: { kind: 'lost-before' } });
}
/** Tasks of that prompt fail, for a reason that the policy may get over. */
export function failTasks(world: World, prompt: string, code: GenerationCode, times = always): void {
  world.fault({ on: 'task', match: { promptIncludes: prompt }, times, fault: { kind: 'fail', code } });
}
function slowTasks(world: World, prompt: string, ms = 800): void {
  world.fault({ on: 'task', match: { promptIncludes: prompt }, fault: { kind: 'slow', ms } });
}

/** Ends a run half-way by a Reset, and waits for the end of the run that takes its place. */
async function resetOnce(world: World, workflowId: string, point = 0): Promise<string[]> {
  await resetRun(world.client, workflowId, point);
  return ended(world.client.workflow.getHandle(workflowId));
}

async function decided(world: World, decision: { action: string; taskId?: string }, prompt: string) {
  loseSubmits(world, prompt);
  const handle = await world.start(image(prompt, ASK));
  await world.until(handle, 'needs a decision');
  await handle.executeUpdate('decide', { args: [decision] });
  return ended(handle);
}

export async function ended(handle: { workflowId: string; result(): Promise<unknown> }): Promise<string[]> {
  await handle.result().catch(() => undefined); // a failure is a path, too
  return [handle.workflowId];
}

/** Books on an account, once it is there. */
export async function reserve(account: WorkflowHandle, activityId = '1'): Promise<void> {
  const run = { workflowId: 'generation/nobody', runId: randomUUID() };
  const purchase = { ...run, activityId, workspace: 'default' };
  const booking: Booking = {
    kind: 'reserve',
    purchase,
    attempt: 1,
    model: 'image-l',
    tags: {},
    price: 8,
    limit: null,
  };
  await account.executeUpdate(bookUpdate, { args: [[booking]] });
}

/** The account of a cap, with something reserved. */
export async function reservingAccount(world: World): Promise<WorkflowHandle> {
  const { taskQueue } = world.config;
  const name = accountOfCap({ name: 'recorded', per: 'ever' });
  const workflowId = entityId('account', name.scope, taskQueue);
  const account = await world.client.workflow.start('account', { workflowId, taskQueue, args: [name] });
  await reserve(account);
  return account;
}

/** What the API has when the paths are recorded. */
export const TEMPLATES = [
  { id: 'tpl_poster', name: 'Poster', model: 'image-l', workspace: null, input: { prompt: 'a poster' } },
];

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
  'lost-before-it-was-checked': async (world) => {
    const fault = { kind: 'slow', ms: 2_000, when: 'before' } as const;
    world.fault({ on: 'submit', match: { promptIncludes: 'never told' }, fault });
    const policy = { ...FAST, submit: { timeout: '30s', heartbeat: '1ms' } };
    return ended(await world.start(image('never told', policy)));
  },
  'lost-and-told-of-its-end': async (world) => {
    world.loseAnswer('told');
    world.loseWebhooks('told');
    const handle = await world.start(image('told'));
    await world.until(handle, 'reconciling');
    const [charge] = world.charges(handle.workflowId);
    await handle.signal('taskEvent', { webhookId: 'msg', type: 'task.completed', taskId: charge?.taskId });
    return ended(handle);
  },
  'looked-at-while-asking': async (world) => {
    const prompt = 'looked at while asking';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, ASK));
    await world.until(handle, 'needs a decision');
    const [taskId = ''] = world.bought(handle);
    await world.tellOfCreation(taskId, { prompt });
    return [...(await ended(handle)), entityId('unclaimed-tasks', 'default', world.config.taskQueue)];
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
  'decided-to-fail': (world) => decided(world, { action: 'fail' }, 'decided to fail'),
  'decided-to-adopt': async (world) => {
    const taskId = await new ApiCaller(world.emulator).accepted('image-l', {
      prompt: 'decided to adopt',
    });
    return decided(world, { action: 'adopt', taskId }, 'decided to adopt');
  },
  'decided-to-adopt-what-is-not-there': async (world) => {
    loseSubmits(world, 'mistyped');
    const handle = await world.start(image('mistyped', ASK));
    await world.until(handle, 'needs a decision');
    const mistyped = { action: 'adopt', taskId: 'no-such-task' };
    await handle.executeUpdate('decide', { args: [mistyped] }).catch(() => undefined); // it is refused
    await handle.executeUpdate('decide', { args: [{ action: 'fail' }] });
    return ended(handle);
  },
  'lost-and-failed': async (world) => {
    loseSubmits(world, 'failed');
    return ended(await world.start(image('failed', unsure('fail'))));
  },
  'lost-and-held-up': async (world) => {
    loseSubmits(world, 'held up');
    const handle = await world.start(
      image('held up', { ...FAST, reconcile: { wait: '1s', otherwise: 'fail' } }),
    );
    await world.until(handle, 'reconciling');
    const entity = entityId('unclaimed-tasks', 'default', world.config.taskQueue);
    await vi.waitFor(async () => {
      await world.client.workflow.getHandle(entity).signal('eventsHeldUp');
      const details = await world.details(handle);
      if (details?.includes('events were delayed') !== true) throw new Error(details);
    }, 10_000);
    return [...(await ended(handle)), entity];
  },
  'lost-and-bought-again': async (world) => {
    loseSubmits(world, 'bought again');
    return ended(await world.start(image('bought again', RESUBMIT)));
  },
  'lost-and-told-that-another-was-not-sent': async (world) => {
    loseSubmits(world, 'sent for sure');
    const handle = await world.start(image('sent for sure', unsure('fail')));
    await handle.signal(submitNotSentSignal, { runId: randomUUID(), activityId: '1' });
    return ended(handle);
  },
  'lost-too-often': async (world) => {
    loseSubmits(world, 'too often', always);
    return ended(await world.start(image('too often', RESUBMIT)));
  },
  'with-another-seed': async (world) => {
    failTasks(world, 'another seed', 'CONTENT_REJECTED', 1);
    const retries = { ...FAST.retries, CONTENT_REJECTED: { resubmissions: 2, initial: 20 } };
    const input = { prompt: 'another seed', seed: 1 };
    return ended(await world.start({ model: 'image-r', input, policy: { ...FAST, retries } }));
  },
  'beyond-its-budget': async (world) => {
    failTasks(world, 'dear', 'RATE_LIMITED');
    return ended(await world.start(image('dear', { ...FAST, budget: { credits: 20 } })));
  },
  'canceled-by-the-api': async (world) => {
    world.fault({ on: 'task', match: { promptIncludes: 'called off' }, fault: { kind: 'cancel' } });
    return ended(await world.start(image('called off')));
  },
  'checked-by-a-person': async (world) => {
    world.fault({ on: 'webhook', match: { promptIncludes: 'checked' }, fault: { kind: 'lost' } });
    const handle = await world.start(image('checked', WEBHOOK_ONLY));
    const { taskId } = await world.until(handle, 'waiting');
    await vi.waitFor(() => {
      const { status } = world.emulator.service().tasks.get(taskId ?? '') ?? {};
      if (status !== 'COMPLETED') throw new Error(`the task is ${status}`);
    });
    await handle.executeUpdate('checkNow');
    return ended(handle);
  },
  'slowed-down': async (world) => {
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'slowed' },
      times: 6,
      fault: { kind: 'error', code: 'RATE_LIMITED' },
    });
    const handles = await Promise.all([0, 1, 2, 3].map((n) => world.start(image(`slowed ${n}`))));
    const [ids = []] = await Promise.all(handles.map(ended));
    const pace = world.client.workflow.getHandle(entityId('submit-pace', 'default', world.config.taskQueue));
    // It tries whether others pass, six seconds after the queue has become slow.
    await eventually(async () => {
      await pace.executeUpdate('reportSubmits', { args: [REPORT] });
      const { events } = await pace.fetchHistory();
      const tries = (events ?? []).filter(({ activityTaskCompletedEventAttributes: end }) => end);
      if (tries.length === 0) throw new Error('it has not tried yet');
    });
    await pace.cancel();
    return [...ids, ...(await ended(pace))];
  },
  'checked-from-its-place': async (world) => {
    const { taskQueue } = world.config;
    const workflowId = `check/${randomUUID()}`;
    return ended(await world.client.workflow.start('darkroomCheck', { workflowId, taskQueue, args: [] }));
  },
  'reserved-and-never-told': async (world) => {
    const account = await reservingAccount(world);
    const looked = async (): Promise<boolean> => {
      const { events } = await account.fetchHistory();
      return events?.some(({ activityTaskCompletedEventAttributes: end }) => end) === true;
    };
    // It looks after itself two minutes later.
    while (!(await looked())) await delay(1_000);
    return [account.workflowId];
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
    await resetRun(world.client, workflowId);
    return ended(handle);
  },
  'reset-while-waiting': async (world) => {
    slowTasks(world, 'reset waiting');
    const handle = await world.start(image('reset waiting', WEBHOOK_ONLY));
    await world.until(handle, 'waiting');
    return resetOnce(world, handle.workflowId);
  },
  'reset-while-reconciling': async (world) => {
    const match = { promptIncludes: 'reset reconciling' };
    world.fault({ on: 'submit', match, times: 1, fault: { kind: 'lost-after' } });
    world.fault({ on: 'webhook', match, fault: { kind: 'late', ms: 1_500 } });
    const handle = await world.start(image('reset reconciling'));
    await world.until(handle, 'reconciling');
    return resetOnce(world, handle.workflowId, 1);
  },
  'reset-while-parked': async (world) => {
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'reset parked' },
      times: 1,
      fault: { kind: 'error', code: 'INSUFFICIENT_CREDITS' },
    });
    const handle = await world.start(image('reset parked', WEBHOOK_ONLY));
    await world.until(handle, 'parked');
    return resetOnce(world, handle.workflowId);
  },
  'reset-after-a-failure': async (world) => {
    failTasks(world, 'reset failed', 'INVALID_INPUT', 1);
    const [workflowId = ''] = await ended(await world.start(image('reset failed')));
    return resetOnce(world, workflowId);
  },
  'reset-after-giving-up': async (world) => {
    loseSubmits(world, 'given up, reset');
    failTasks(world, 'given up, reset', 'INVALID_INPUT', 1);
    const [workflowId = ''] = await ended(await world.start(image('given up, reset', RESUBMIT)));
    return resetOnce(world, workflowId);
  },
  'reset-twice': async (world) => {
    const [workflowId = ''] = await ended(await world.start(image('reset twice')));
    await resetOnce(world, workflowId, 1);
    return resetOnce(world, workflowId);
  },
  'started-again-with-its-earlier-run': async (world) => {
    slowTasks(world, 'started again');
    const handle = await world.start(image('started again', WEBHOOK_ONLY));
    await world.until(handle, 'waiting');
    const { runId: earlierRun } = await handle.describe();
    await handle.terminate();
    const request = { ...image('started again', WEBHOOK_ONLY), earlierRun };
    return ended(await world.start(request, handle.workflowId));
  },
  'expired-output': async (world) => {
    world.fault({ on: 'file', match: { promptIncludes: 'expired' }, fault: { kind: 'expired' } });
    return ended(await world.start(image('expired', { ...FAST, outputs: { wait: '1s' } })));
  },
  'stored-late': async (world) => {
    const match = { promptIncludes: 'stored late' };
    world.fault({ on: 'file', match, times: 3, fault: { kind: 'expired', status: 404 } });
    return ended(await world.start(image('stored late')));
  },
  'stored-when-a-person-says-so': async (world) => {
    const match = { promptIncludes: 'stored by hand' };
    world.fault({ on: 'file', id: 'by hand', match, fault: { kind: 'expired', status: 404 } });
    const handle = await world.start(image('stored by hand', { ...FAST, outputs: { wait: '1h' } }));
    await world.until(handle, 'storing');
    world.emulator.service().faults.remove('by hand');
    await handle.executeUpdate('checkNow');
    return ended(handle);
  },
  'reset-while-storing': async (world) => {
    const match = { promptIncludes: 'reset storing' };
    world.fault({ on: 'file', id: 'reset', match, fault: { kind: 'expired', status: 404 } });
    const handle = await world.start(image('reset storing', { ...FAST, outputs: { wait: '1h' } }));
    await world.until(handle, 'storing');
    world.emulator.service().faults.remove('reset');
    return resetOnce(world, handle.workflowId);
  },
  'reset-while-asking': async (world) => {
    loseSubmits(world, 'reset asking');
    const handle = await world.start(image('reset asking', ASK));
    await world.until(handle, 'needs a decision');
    await resetRun(world.client, handle.workflowId);
    const latest = world.client.workflow.getHandle(handle.workflowId);
    await world.until(latest, 'needs a decision');
    await latest.executeUpdate('decide', { args: [{ action: 'fail' }] });
    return ended(latest);
  },
  'asked-about-a-task-that-comes-back': async (world) => {
    const match = { promptIncludes: 'comes back' };
    world.fault({ on: 'get', id: 'gone', match, fault: { kind: 'error', code: 'PREDICTION_NOT_FOUND' } });
    world.loseWebhooks('comes back');
    const handle = await world.start(image('comes back', { ...ASK, vanished: { wait: '100ms' } }));
    await world.until(handle, 'needs a decision');
    world.emulator.service().faults.remove('gone');
    await handle.executeUpdate('checkNow');
    return ended(handle);
  },
  'parked-until-the-end': async (world) => {
    const match = { promptIncludes: 'never paid' };
    world.fault({ on: 'submit', match, fault: { kind: 'error', code: 'INSUFFICIENT_CREDITS' } });
    const pause = { initial: '50ms', factor: 1, max: '50ms', window: '1s' };
    const policy = { ...FAST, retries: { ...FAST.retries, INSUFFICIENT_CREDITS: pause } };
    return ended(await world.start(image('never paid', policy)));
  },
  'cancelled-while-asking': async (world) => {
    loseSubmits(world, 'cancelled asking');
    const handle = await world.start(image('cancelled asking', ASK));
    await world.until(handle, 'needs a decision');
    await handle.cancel();
    return ended(handle);
  },
  'pipeline-cancelled': async (world) => {
    slowTasks(world, 'called off');
    const steps = { only: { model: 'image-l', input: { prompt: 'called off' } } };
    const handle = await world.pipeline({ policy: WEBHOOK_ONLY, steps });
    await eventually(() =>
      world.until(world.client.workflow.getHandle(`${handle.workflowId}/only`), 'waiting'),
    );
    await handle.cancel();
    return ended(handle);
  },
  'nothing-to-take-over': async (world) => {
    failTasks(world, 'in vain before', 'INVALID_INPUT', 1);
    const handle = await world.start(image('in vain before'));
    await ended(handle);
    const { runId: earlierRun } = await handle.describe();
    const adoptOnly = { type: 'OUTPUT_UNAVAILABLE', message: 'its input is gone' } as const;
    return ended(await world.start({ ...image('in vain before'), earlierRun, adoptOnly }, handle.workflowId));
  },
  'held-up-submit': async (world) => {
    const match = { promptIncludes: 'held up submit' };
    const fault = { kind: 'error', code: 'PROVIDER_UNAVAILABLE' } as const;
    world.fault({ on: 'submit', match, times: 5, fault });
    return ended(await world.start(image('held up submit')));
  },
  'given-up-and-proven': async (world) => {
    const prompt = 'late proof';
    const release = world.hold(prompt, 2);
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, RESUBMIT));
    await world.until(handle, 'waiting');
    const [first = ''] = world.bought(handle);
    await world.tellOfCreation(first, { prompt });
    await eventually(async () => {
      const { attempts } = await handle.query<Progress>('progress');
      if (attempts[0]?.taskId !== first) throw new Error('the proof is not there yet');
    });
    release();
    return [...(await ended(handle)), entityId('unclaimed-tasks', 'default', world.config.taskQueue)];
  },
  'claimant-that-was-terminated': async (world) => {
    const prompt = 'terminated claimant';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const policy = { ...FAST, reconcile: { wait: '1m', otherwise: 'fail' } };
    const handle = await world.start(image(prompt, policy));
    await world.until(handle, 'reconciling');
    await handle.terminate();
    const [taskId = ''] = world.bought(handle);
    await world.tellOfCreation(taskId, { prompt });
    const entity = entityId('unclaimed-tasks', 'default', world.config.taskQueue);
    await eventually(async () => {
      const { events } = await world.client.workflow.getHandle(entity).fetchHistory();
      const asked = (events ?? []).map(
        ({ activityTaskScheduledEventAttributes: asks }) => asks?.activityType?.name,
      );
      if (!asked.includes('checkClaims')) throw new Error('it has not noticed yet');
    });
    return [entity];
  },
  'pipeline-given-another-input-and-reset': async (world) => {
    failTasks(world, 'as it was', 'INVALID_INPUT');
    const only = { model: 'image-l', input: { prompt: 'as it was' }, onFailure: 'hold' } as const;
    const handle = await world.pipeline({ policy: FAST, steps: { only } });
    await eventually(async () => {
      const { steps } = await handle.query<PipelineProgress>('progress');
      if (steps['only']?.status !== 'held') throw new Error('it is not held yet');
    });
    const given = { step: 'only', action: 'retry', input: { prompt: 'as it should be' } };
    await handle.executeUpdate('resolve', { args: [given] });
    const [workflowId = ''] = await ended(handle);
    return resetOnce(world, workflowId);
  },
  'batch-whose-row-asks': async (world) => {
    const workflowId = `batch/${randomUUID()}`;
    const still = { model: 'image-l', input: { prompt: { $param: 'prompt' } }, approve: true };
    const rows = [{ id: 'row-0', values: { prompt: 'a quay' }, digest: 'digest-0' }];
    const { taskQueue } = world.config;
    await startBatch(world.client, {
      workflowId,
      taskQueue,
      pipeline: { policy: FAST, steps: { still } },
      rows,
    });
    const handle = world.client.workflow.getHandle(workflowId);
    await eventually(async () => {
      const { attention } = await handle.query<BatchProgress>('progress');
      if (attention.length === 0) throw new Error('nothing is asked yet');
    });
    const row = world.client.workflow.getHandle(`${workflowId}/row-0`);
    await eventually(() => row.executeUpdate('approve', { args: [{ step: 'still' }] }));
    return ended(handle);
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
  'pipeline-reset': async (world) => {
    failTasks(world, 'reset step', 'INVALID_INPUT', 1);
    const [workflowId = ''] = await ended(
      await world.pipeline({
        policy: FAST,
        steps: {
          good: { model: 'image-l', input: { prompt: 'good step' } },
          bad: { model: 'image-l', input: { prompt: 'reset step' } },
        },
      }),
    );
    return resetOnce(world, workflowId);
  },
  'pipeline-reusing-another': async (world) => {
    const request = (prompt: string) => ({
      policy: FAST,
      steps: {
        still: { model: 'image-l', input: { prompt: 'kept' } },
        other: { model: 'image-l', input: { prompt } },
      },
    });
    const [reuse = ''] = await ended(await world.pipeline(request('before')));
    return ended(await world.pipeline({ ...request('after'), reuse }));
  },
  'pipeline-beyond-its-budget': async (world) =>
    ended(
      await world.pipeline({
        policy: FAST,
        budget: { credits: 8 },
        steps: {
          still: { model: 'image-l', input: { prompt: 'all there is' } },
          large: { model: 'upscale-q', input: { image_url: { $from: 'still' } } },
        },
      }),
    ),
  'pipeline-approved-and-held': async (world) => {
    failTasks(world, 'held once', 'INVALID_INPUT', 1);
    const handle = await world.pipeline({
      policy: FAST,
      params: { city: 'Oslo' },
      steps: {
        still: { model: 'image-l', input: { prompt: { $param: 'city' }, n: 2 }, approve: true },
        no: { model: 'image-l', input: { prompt: 'never' }, approve: true },
        held: {
          model: 'image-l',
          input: { prompt: 'held once', image_urls: { $all: 'still' } },
          onFailure: 'hold',
        },
      },
    });
    const waits = async (step: string, status: string): Promise<void> => {
      await vi.waitFor(async () => {
        const { steps } = await handle.query<PipelineProgress>('progress');
        if (steps[step]?.status !== status) throw new Error(`${step} is ${steps[step]?.status}`);
      }, 15_000);
    };
    await waits('no', 'approval');
    await handle.executeUpdate('reject', { args: [{ step: 'no' }] });
    await waits('still', 'approval');
    const input = { prompt: 'Rome', n: 2 };
    await handle.executeUpdate('approve', { args: [{ step: 'still', input }] });
    await waits('held', 'held');
    await handle.executeUpdate('resolve', { args: [{ step: 'held', action: 'retry' }] });
    return ended(handle);
  },
  'pipeline-whose-step-asks': async (world) => {
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'asks' },
      times: 1,
      fault: { kind: 'error', code: 'INSUFFICIENT_CREDITS' },
    });
    const policy = { ...FAST, retries: { INSUFFICIENT_CREDITS: { initial: '1h', window: '1d' } } };
    const only = { model: 'image-l', input: { prompt: 'asks' } };
    const handle = await world.pipeline({ policy, steps: { only } });
    await vi.waitFor(async () => {
      const { steps } = await handle.query<PipelineProgress>('progress');
      if (steps['only']?.needs !== 'waiting for credits') throw new Error('the step has not said so');
    }, 15_000);
    await world.client.workflow.getHandle(`${handle.workflowId}/only`).executeUpdate('checkNow');
    return [...(await ended(handle)), `${handle.workflowId}/only`];
  },
  'pipeline-within-its-budget': async (world) =>
    ended(
      await world.pipeline({
        policy: FAST,
        budget: { credits: 40 },
        steps: {
          views: { model: 'image-l', input: { prompt: 'within', n: 3 } },
          large: { model: 'upscale-q', input: { image_url: { $each: 'views' } } },
          other: { model: 'upscale-q', input: { image_url: { $from: 'views', output: 2 } } },
        },
      }),
    ),
  'pipeline-reset-with-a-fan-out': async (world) => {
    const id = `pipeline/${randomUUID()}`;
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match: { workflowIncludes: `${id}/half/0` }, times: 1, fault });
    const steps = {
      pair: { model: 'image-l', input: { prompt: 'pair', n: 2 } },
      half: { model: 'upscale-q', input: { image_url: { $each: 'pair' } } },
      each: { model: 'upscale-q', input: { image_url: { $each: 'half' } } },
    };
    const [workflowId = ''] = await ended(await world.pipeline({ policy: FAST, steps }, id));
    return resetOnce(world, workflowId, 0.5);
  },
  'pipeline-reset-after-an-approval': async (world) => {
    const only = { model: 'image-l', input: { prompt: 'approved once' }, approve: true };
    const handle = await world.pipeline({ policy: FAST, steps: { only } });
    await vi.waitFor(() => handle.executeUpdate('approve', { args: [{ step: 'only' }] }), 15_000);
    const [workflowId = ''] = await ended(handle);
    return resetOnce(world, workflowId, 0);
  },
  'pipeline-with-an-expired-url': async (world) => {
    const nth = Array.from({ length: 20 }, (_, index) => index + 2);
    const match = { promptIncludes: 'dies young' };
    world.fault({ on: 'file', match, nth, fault: { kind: 'expired' } });
    const handle = await world.pipeline({
      policy: FAST,
      steps: {
        still: { model: 'image-l', input: { prompt: 'dies young' } },
        other: { model: 'image-l', input: { prompt: 'lives on', n: 2 } },
        large: { model: 'upscale-q', input: { image_url: { $from: 'still' } } },
        each: { model: 'upscale-q', input: { image_url: { $each: 'other' } } },
      },
    });
    return ended(handle);
  },
  'pipeline-from-a-template': async (world) => {
    const handle = await world.pipeline({
      policy: FAST,
      steps: {
        poster: { model: 'image-l', input: {}, templateId: 'tpl_poster' },
        large: { model: 'upscale-q', input: { image_url: { $from: 'poster' } } },
      },
    });
    return [...(await ended(handle)), `${handle.workflowId}/poster`];
  },
  'called-back': async (world) => {
    const receiver = createServer((_, response) => response.writeHead(204).end());
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/done`; // it listens on a port
    world.config.callbacks = { prefixes: [url], secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] };
    await world.stopWorker();
    await world.startWorker();
    const steps = { still: { model: 'image-l', input: { prompt: 'called back' } } };
    const rows = [{ id: 'row-0', values: {}, digest: 'digest-0' }];
    const workflowId = `batch/${randomUUID()}`;
    const { taskQueue } = world.config;
    const pipeline = { policy: FAST, steps };
    await startBatch(world.client, { workflowId, taskQueue, pipeline, rows, callback: url });
    const handle = world.client.workflow.getHandle(workflowId);
    await ended(handle);
    const { runId } = await handle.describe();
    const word = await ended(world.client.workflow.getHandle(`callback/${runId}`));
    receiver.close();
    return [workflowId, ...word];
  },
  batch: async (world) => {
    const pipeline = {
      policy: FAST,
      steps: { still: { model: 'image-l', input: { prompt: { $param: 'prompt' } } } },
    };
    failTasks(world, 'row 1', 'INVALID_INPUT', 1);
    const workflowId = `batch/${randomUUID()}`;
    const rows = [0, 1, 2].map((index) => ({
      id: `row-${index}`,
      values: { prompt: `row ${index}` },
      digest: `digest-${index}`,
    }));
    const { taskQueue } = world.config;
    const budget = 100;
    await startBatch(world.client, { workflowId, taskQueue, pipeline, rows, concurrency: 2, budget });
    const handle = world.client.workflow.getHandle(workflowId);
    await ended(handle);
    await startBatch(world.client, { workflowId, taskQueue, pipeline, rows, budget, retryFailed: true });
    const latest = await readLatestRun<BatchRequest>(world.client, workflowId);
    const pages = latest?.request?.pages ?? [];
    return [...(await ended(handle)), ...pages.map((page) => page.workflowId)];
  },
};
