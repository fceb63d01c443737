import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { digestOf } from '../../../src/api/input/field-digests.ts';
import { DarkroomClient } from '../../../src/client/darkroom-client.ts';
import { stepStateSignal } from '../../../src/contract/messages.ts';
import type { PipelineProgress, PipelineResult } from '../../../src/contract/pipeline.ts';
import { resetRun } from '../../reset-run.ts';
import { openShortWorld } from '../short-histories.ts';
import { eventually, FAST, type World } from '../world.ts';
import {
  chargesBelow,
  creditsBelow,
  failTasks,
  finishTask,
  hangTasks,
  large,
  latest,
  still,
} from './steps.ts';

let world: World;
/** What an update with an input waits for, and the run with it. */
let beforeCheck: (() => Promise<void>) | undefined;
/** What a look for something to reuse waits for. */
let beforeReuse: (() => Promise<void>) | undefined;
beforeAll(async () => {
  world = await openShortWorld(40, {
    activities: (activities) => ({
      ...activities,
      async checkPipeline(...args) {
        await beforeCheck?.();
        return await activities.checkPipeline(...args);
      },
      async findReusable(...args) {
        await beforeReuse?.();
        return await activities.findReusable(...args);
      },
    }),
  });
});
afterAll(() => world?.close());

/** How often a pipeline has continued as new, by the runs that its last one goes back to. */
async function runsOf(workflowId: string): Promise<number> {
  let runId: string | undefined;
  for (let count = 1; ; count += 1) {
    const { events } = await world.client.workflow.getHandle(workflowId, runId).fetchHistory();
    const before = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
    if (!before) return count;
    runId = before;
  }
}

/** Waits until a workflow that polls has continued as new. */
async function continued(workflowId: string): Promise<void> {
  await eventually(async () => expect(await runsOf(workflowId)).toBeGreaterThan(1));
}

it('a pipeline that gets too long goes on in new runs, and buys nothing twice', async () => {
  failTasks(world, 'fails once early', 1);
  const chain = Object.fromEntries(
    Array.from({ length: 6 }, (_, index) => [
      `link-${index}`,
      large({ $from: index === 0 ? 'views' : `link-${index - 1}` }),
    ]),
  );
  const handle = await world.pipeline({
    policy: FAST,
    allowPartial: true,
    budget: { credits: 500 },
    steps: {
      broken: still('fails once early'),
      views: still('four views', 4),
      each: large({ $each: 'views' }),
      ...chain,
      every: { model: 'image-l', input: { prompt: 'all of them', image_urls: { $all: 'each' } } },
      last: large({ $from: 'each', output: 3 }),
    },
  });
  const result = await handle.result();
  expect(await runsOf(handle.workflowId)).toBeGreaterThan(1);
  expect(result.status).toBe('PARTIAL');
  // It failed in an early run: the later ones are the same pipeline, and do not try again.
  expect(result.steps['broken']).toMatchObject({ status: 'FAILED' });
  expect(Object.keys(result.steps)).toEqual([
    'broken',
    'views',
    'each',
    ...Object.keys(chain),
    'every',
    'last',
  ]);
  expect(chargesBelow(world, handle.workflowId)).toHaveLength(14);
  expect(result.usage.total).toBe(creditsBelow(world, handle.workflowId));
  expect(result.charged).toEqual(result.usage);
});

it('what runs meanwhile is followed, what the budget has left is carried over', async () => {
  hangTasks(world, 'runs on and on');
  const handle = await world.pipeline({
    policy: FAST,
    allowPartial: true,
    budget: { credits: 8 + 8 * 4 + 8 },
    steps: {
      first: still('begins the chain'),
      slow: still('runs on and on'),
      ...Object.fromEntries(
        Array.from({ length: 9 }, (_, index) => [
          `link-${index}`,
          large({ $from: index === 0 ? 'first' : `link-${index - 1}` }),
        ]),
      ),
    },
  });
  await eventually(async () => expect(await runsOf(handle.workflowId)).toBeGreaterThan(1));
  await finishTask(world, world.charges(`${handle.workflowId}/slow`)[0]?.taskId);
  const { steps } = await handle.result();
  expect(steps).toMatchObject({
    slow: { status: 'COMPLETED' },
    'link-7': { status: 'COMPLETED' },
    'link-8': { status: 'FAILED', failure: { type: 'BUDGET_EXCEEDED' } },
  });
  expect(creditsBelow(world, handle.workflowId)).toBe(48);
});

/** Makes a run's history longer than the server likes: it continues as new as soon as a step has ended. */
async function lengthen(workflowId: string): Promise<void> {
  const run = world.client.workflow.getHandle(workflowId);
  await eventually(async () => {
    for (let sent = 0; sent < 30; sent += 1)
      await run.signal(stepStateSignal, { path: 'nobody', state: 'running', note: null });
    expect((await run.describe()).historyLength).toBeGreaterThan(60);
  });
}

async function statusOf(workflowId: string, step: string): Promise<string | undefined> {
  const run = world.client.workflow.getHandle(workflowId);
  return (await run.query<PipelineProgress>('progress')).steps[step]?.status;
}

it('what a try has cost that a person wants once more is counted once, whichever run begins the next try', async () => {
  failTasks(world, 'fails before the run continues', 1);
  const gated = (prompt: string) => ({ ...still(prompt), approve: true });
  const handle = await world.pipeline({
    policy: FAST,
    allowPartial: true,
    budget: { credits: 24 },
    steps: {
      first: still('succeeds before the run continues'),
      held: { ...still('fails before the run continues'), onFailure: 'hold' },
      one: gated('one of two'),
      two: gated('two of two'),
    },
  });
  const { workflowId } = handle;
  await eventually(async () => expect(await statusOf(workflowId, 'held')).toBe('held'));
  await lengthen(workflowId);
  const runs = await runsOf(workflowId);
  await world.stopWorker();
  const run = world.client.workflow.getHandle(workflowId);
  // Together: the run goes on in a new one before it knows what there is of the try that failed.
  const said = Promise.all([
    run.executeUpdate('reject', { args: [{ step: 'one' }] }),
    run.executeUpdate('reject', { args: [{ step: 'two' }] }),
    // The run that follows knows of no step that is held before it has looked at it.
    eventually(() => run.executeUpdate('resolve', { args: [{ step: 'held', action: 'retry' }] })),
  ]);
  await world.startWorker();
  await said;
  // What the budget does not admit would be held once more.
  await eventually(async () => expect(await statusOf(workflowId, 'held')).toBe('done'));
  const { steps, usage } = await handle.result();
  expect(await runsOf(workflowId)).toBeGreaterThan(runs);
  expect(steps).toMatchObject({ held: { status: 'COMPLETED' } });
  expect([usage.total, creditsBelow(world, workflowId)]).toEqual([24, 24]);
});

it('what a further try has adopted is not counted again by the run that follows it', async () => {
  hangTasks(world, 'is overdue once');
  const gated = (prompt: string) => ({ ...still(prompt), approve: true });
  const handle = await world.pipeline({
    policy: FAST,
    allowPartial: true,
    budget: { credits: 16 },
    steps: {
      held: { ...still('is overdue once'), onFailure: 'hold', policy: { deadline: '5s' } },
      one: gated('one of two, neither bought'),
      two: gated('two of two, neither bought'),
      late: gated('after what was adopted'),
    },
  });
  const { workflowId } = handle;
  const run = world.client.workflow.getHandle(workflowId);
  const retry = { step: 'held', action: 'retry' };
  const say = (name: string, said: object): Promise<unknown> =>
    eventually(() => run.executeUpdate(name, { args: [said] }));
  await eventually(async () => expect(await statusOf(workflowId, 'held')).toBe('held'));
  await lengthen(workflowId);
  const runs = await runsOf(workflowId);
  await say('resolve', retry);
  await eventually(async () => expect(await statusOf(workflowId, 'held')).toBe('running'));
  await Promise.all(['one', 'two'].map((step) => say('reject', { step })));
  await eventually(async () => expect(await runsOf(workflowId)).toBeGreaterThan(runs));
  await finishTask(world, world.charges(`${workflowId}/held`)[0]?.taskId);
  await eventually(async () => {
    const status = await statusOf(workflowId, 'held');
    // On a busy machine it is overdue once more: that try adopts it, too.
    if (status === 'held') await run.executeUpdate('resolve', { args: [retry] });
    expect(status).toBe('done');
  });
  await say('approve', { step: 'late' });
  const { steps, usage } = await handle.result();
  expect(steps).toMatchObject({ held: { status: 'COMPLETED' }, late: { status: 'COMPLETED' } });
  expect([usage.total, creditsBelow(world, workflowId)]).toEqual([16, 16]);
});

it('a Reset of a run that has continued another one takes over everything, and the bill is told once', async () => {
  const steps = {
    views: still('reset in the middle', 4),
    each: large({ $each: 'views' }),
    ...Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [
        `link-${index}`,
        large({ $from: index === 0 ? 'views' : `link-${index - 1}` }),
      ]),
    ),
  };
  const handle = await world.pipeline({ policy: FAST, steps });
  const first = await handle.result();
  const runs = await runsOf(handle.workflowId);
  expect(runs).toBeGreaterThan(1);
  const bought = chargesBelow(world, handle.workflowId);
  await resetRun(world.client, handle.workflowId);
  const again: PipelineResult = await latest(world, handle.workflowId).result();
  expect(again.status).toBe('COMPLETED');
  expect(chargesBelow(world, handle.workflowId)).toEqual(bought);
  expect(first.charged.total + again.charged.total).toBe(creditsBelow(world, handle.workflowId));
  expect(again.charged.total).toBe(0);
});

it('what waits for a person goes on waiting, and a cancellation reaches what runs', async () => {
  hangTasks(world, 'cancelled in a later run');
  failTasks(world, 'held in a later run', 1);
  const handle = await world.pipeline({
    policy: FAST,
    steps: {
      approved: { ...still('approved in a later run'), approve: true },
      held: { ...still('held in a later run'), onFailure: 'hold' },
      hung: still('cancelled in a later run'),
      views: still('goes on meanwhile', 4),
      each: large({ $each: 'views' }),
      more: large({ $each: 'each' }),
    },
  });
  await eventually(async () => expect(await runsOf(handle.workflowId)).toBeGreaterThan(1));
  const run = world.client.workflow.getHandle(handle.workflowId);
  const status = async (step: string): Promise<string | undefined> =>
    (await run.query<PipelineProgress>('progress')).steps[step]?.status;
  await eventually(async () => expect(await status('held')).toBe('held'));
  await run.executeUpdate('approve', { args: [{ step: 'approved' }] });
  await run.executeUpdate('resolve', { args: [{ step: 'held', action: 'retry' }] });
  await eventually(async () => {
    expect(await status('approved')).toBe('done');
    expect(await status('held')).toBe('done');
  });
  expect(world.charges(`${handle.workflowId}/held`)).toHaveLength(2);
  await continued(`${handle.workflowId}/hung`);
  await run.cancel();
  for (const id of [handle.workflowId, `${handle.workflowId}/hung`]) {
    await eventually(async () =>
      expect((await world.client.workflow.getHandle(id).describe()).status.name).toBe('CANCELLED'),
    );
  }
});

it('a cancellation that comes with what makes a run continue as new is not lost', async () => {
  hangTasks(world, 'hangs until it is cancelled');
  const handle = await world.pipeline({
    policy: FAST,
    steps: {
      hung: still('hangs until it is cancelled'),
      rejected: { ...still('never bought'), approve: true },
    },
  });
  const run = world.client.workflow.getHandle(handle.workflowId);
  await eventually(async () => {
    const { steps } = await run.query<PipelineProgress>('progress');
    expect(steps).toMatchObject({ hung: { status: 'running' }, rejected: { status: 'approval' } });
  });
  // Long enough to continue as new as soon as a step has ended.
  for (let sent = 0; sent < 60; sent += 1) {
    await run.signal(stepStateSignal, { path: 'hung', state: 'running', note: null });
  }
  await eventually(async () => expect((await run.describe()).historyLength).toBeGreaterThan(60));
  // By itself a parent asks the first run of its child alone, which has closed.
  await continued(`${handle.workflowId}/hung`);
  await world.stopWorker();
  const rejecting = run.executeUpdate('reject', { args: [{ step: 'rejected' }] });
  const rejected = rejecting.catch(() => undefined); // the run may end before it has answered
  await run.cancel();
  await world.startWorker();
  for (const id of [handle.workflowId, `${handle.workflowId}/hung`]) {
    await eventually(async () =>
      expect((await world.client.workflow.getHandle(id).describe()).status.name).toBe('CANCELLED'),
    );
  }
  await rejected;
});

it('what is not handed on is shown no more', async () => {
  const earlier = await world.pipeline({
    policy: FAST,
    steps: { first: still('reused by one that continues') },
  });
  await earlier.result();
  const looking = Promise.withResolvers<void>();
  const found = Promise.withResolvers<void>();
  try {
    const steps = { first: still('reused by one that continues'), last: large({ $from: 'first' }) };
    let looks = 0;
    beforeReuse = async () => {
      looks += 1;
      if (looks !== 2) return;
      looking.resolve();
      await found.promise;
    };
    const handle = await world.pipeline({ policy: FAST, steps, reuse: earlier.workflowId });
    await looking.promise;
    const shown = async (): Promise<unknown> =>
      (await world.client.workflow.getHandle(handle.workflowId).describe()).searchAttributes['DarkroomState'];
    // What is looked for is sought anew by the next run.
    await handle.signal(stepStateSignal, { path: 'last', state: 'needs a decision', note: null });
    await eventually(async () => expect(await shown()).toEqual(['needs a decision']));
    const { runId } = await handle.describe();
    const run = world.client.workflow.getHandle(handle.workflowId, runId);
    await eventually(async () => {
      await run
        .signal(stepStateSignal, { path: 'nobody', state: 'running', note: null })
        .catch(() => undefined);
      expect((await run.describe()).status.name).toBe('CONTINUED_AS_NEW');
    });
    expect((await handle.result()).status).toBe('COMPLETED');
    expect(await shown()).toEqual([null]);
  } finally {
    beforeReuse = undefined;
    found.resolve();
  }
});

it('a cancellation that comes before the next run has begun reaches what the run before has started', async () => {
  const gated = (prompt: string) => ({ ...still(prompt), approve: true });
  hangTasks(world, 'hangs from run to run');
  const handle = await world.pipeline({
    policy: FAST,
    steps: {
      hung: still('hangs from run to run'),
      rejected: gated('never bought, as it is rejected'),
      approved: gated('never bought, as it is cancelled'),
    },
  });
  const { workflowId } = handle;
  await eventually(async () => {
    expect(await statusOf(workflowId, 'hung')).toBe('running');
    expect(await statusOf(workflowId, 'approved')).toBe('approval');
  });
  await lengthen(workflowId);
  await world.stopWorker();
  const run = world.client.workflow.getHandle(workflowId);
  const [checks, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  beforeCheck = async () => {
    checks.resolve();
    await goesOn.promise;
  };
  const approval = { step: 'approved', input: { prompt: 'never bought either' } };
  const said = [
    run.executeUpdate('approve', { args: [approval] }),
    run.executeUpdate('reject', { args: [{ step: 'rejected' }] }),
  ];
  await world.startWorker();
  await checks.promise;
  // The worker ends what it has begun, and takes nothing new.
  const stopped = world.stopWorker();
  const { runId } = await run.describe();
  beforeCheck = undefined;
  goesOn.resolve();
  await eventually(async () => expect((await run.describe()).runId).not.toBe(runId));
  await stopped;
  await run.cancel();
  await world.startWorker();
  for (const id of [workflowId, `${workflowId}/hung`]) {
    await eventually(async () =>
      expect((await world.client.workflow.getHandle(id).describe()).status.name).toBe('CANCELLED'),
    );
  }
  await Promise.allSettled(said);
});

it('the same request under the same key attaches, also after a person has replaced an input', async () => {
  const { taskQueue } = world.config;
  const darkroom = new DarkroomClient(world.client, { taskQueue });
  const links = Array.from({ length: 8 }, (_, index) => [
    `link-${index}`,
    large({ $from: index === 0 ? 'still' : `link-${index - 1}` }),
  ]);
  const request = {
    policy: FAST,
    steps: { still: { ...still('to be replaced'), approve: true }, ...Object.fromEntries(links) },
  };
  const key = randomUUID();
  const handle = await darkroom.start(request, { key });
  const run = world.client.workflow.getHandle(handle.workflowId);
  const approval = { step: 'still', input: { prompt: 'replaced' } };
  await eventually(() => run.executeUpdate('approve', { args: [approval] }));
  const first = await handle.result();
  expect(await runsOf(handle.workflowId)).toBeGreaterThan(1);
  const again = await darkroom.start(request, { key });
  expect(await again.result()).toEqual(first);
  const [bought] = world.charges(`${handle.workflowId}/still@${digestOf(approval.input)}`);
  expect(world.emulator.service().tasks.get(bought?.taskId ?? '')?.input).toMatchObject({
    prompt: 'replaced',
  });
});

it('a task that was left by a run that somebody has ended is charged once, whichever run waits for it', async () => {
  hangTasks(world, 'left behind');
  const handle = await world.pipeline({
    policy: FAST,
    allowPartial: true,
    budget: { credits: 16 },
    steps: {
      left: { ...still('left behind'), onFailure: 'hold' },
      gate: { ...still('nobody wants it'), approve: true },
      last: { ...still('fits the budget'), approve: true },
    },
  });
  const { workflowId } = handle;
  const run = world.client.workflow.getHandle(workflowId);
  const child = world.client.workflow.getHandle(`${workflowId}/left`);
  await eventually(() => world.until(child, 'waiting'));
  await child.cancel();
  await eventually(async () => expect(await statusOf(workflowId, 'left')).toBe('held'));
  await run.executeUpdate('resolve', { args: [{ step: 'left', action: 'retry' }] });
  await eventually(() => world.until(child, 'waiting'));
  await lengthen(workflowId);
  const runs = await runsOf(workflowId);
  await eventually(() => run.executeUpdate('reject', { args: [{ step: 'gate' }] }));
  await eventually(async () => expect(await runsOf(workflowId)).toBeGreaterThan(runs));
  const [taskId] = world.bought(child);
  await finishTask(world, taskId);
  await eventually(async () => expect(await statusOf(workflowId, 'left')).toBe('done'));
  await eventually(() => run.executeUpdate('approve', { args: [{ step: 'last' }] }));
  const { steps, usage, charged } = await handle.result();
  expect(steps).toMatchObject({
    left: { status: 'COMPLETED', result: { taskId } },
    last: { status: 'COMPLETED' },
  });
  expect([usage.total, charged.total]).toEqual([16, 16]);
  expect(creditsBelow(world, workflowId)).toBe(16);
});
