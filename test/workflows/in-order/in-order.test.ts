import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { ApplicationFailure, activityInfo, CompleteAsyncError, sleep } from '@temporalio/activity';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connectClient } from '../../../src/temporal/connection.ts';
import '../../setup/quiet-temporal.ts';
import { goSignal, meanwhileSignal, slowQuery } from './workflows.ts';

const namespace = inject('temporalNamespace');
let client: Client;
let connection: NativeConnection;
let workflowBundle: Awaited<ReturnType<typeof bundleWorkflowCode>>;
beforeAll(async () => {
  const address = inject('temporalAddress');
  const workflowsPath = fileURLToPath(new URL('workflows.ts', import.meta.url));
  workflowBundle = await bundleWorkflowCode({ workflowsPath });
  connection = await NativeConnection.connect({ address });
  client = await connectClient({ address, namespace });
});
afterAll(async () => {
  await client?.connection.close();
  await connection?.close();
});

interface Ended {
  /** Of the workflow. */
  readonly result: unknown;
  /** Names of the events' attributes. */
  readonly events: readonly string[];
}

interface Circumstances {
  /** Whether a query is answered while the local activity ends. */
  readonly isAsked?: boolean;
  /** Whether it has an ordinary activity, which is at work by then. */
  readonly isWorking?: boolean;
  /** After so long a workflow task is prolonged, or counts as lost. */
  readonly workflowTaskTimeout?: '1 second' | '5 seconds';
  /** How many local activities its worker runs at once. */
  readonly places?: number;
  readonly args?: unknown[];
  /** Done while the local activity is open. */
  readonly meanwhile?: (handle: WorkflowHandle) => Promise<void>;
}

/** Runs a workflow, and replays it. */
async function replayed(workflow: string, circumstances: Circumstances): Promise<Ended> {
  const {
    isAsked = true,
    isWorking = false,
    workflowTaskTimeout,
    places,
    args = [],
    meanwhile,
  } = circumstances;
  const taskQueue = `in-order-${randomUUID()}`;
  const options = {
    taskQueue,
    workflowId: taskQueue,
    args,
    ...(workflowTaskTimeout && { workflowTaskTimeout }),
  };
  const handle = await client.workflow.start(workflow, options);
  const works = Promise.withResolvers<void>();
  const activities = {
    async nap(ms: number) {
      await meanwhile?.(handle);
      // As an ordinary one it takes no time.
      if (activityInfo().isLocal) await sleep(ms);
    },
    async fail(failure: string) {
      if (failure === 'final') throw ApplicationFailure.nonRetryable('for good');
      if (activityInfo().isLocal) throw new Error('as a local one');
      return 'as an ordinary one';
    },
    async startCallback() {
      if (activityInfo().attempt < 6) throw new Error('not yet');
      return activityInfo().isLocal ? 'as a local one' : 'as an ordinary one';
    },
    async work() {
      works.resolve();
      throw new CompleteAsyncError();
    },
  };
  const working = async <R>(during: () => Promise<R>): Promise<R> => {
    const worker = await Worker.create({
      connection,
      namespace,
      taskQueue,
      workflowBundle,
      activities,
      ...(places && { maxConcurrentLocalActivityExecutions: places }),
    });
    return await worker.runUntil(during);
  };
  if (isAsked)
    await working(async () => {
      await handle.query('__stack_trace');
      if (isWorking) await works.promise;
    });
  // Together they wait for a worker: it gets the query with the task that begins the local activity.
  if (isAsked) await handle.signal(goSignal);
  const asked = isAsked ? handle.query(slowQuery) : undefined;
  const [, result] = await working(async () => await Promise.all([asked, handle.result()]));
  const history = await handle.fetchHistory();
  await Worker.runReplayHistory({ workflowBundle }, history, taskQueue);
  return { result, events: history.events?.map(({ attributes }) => attributes ?? '') ?? [] };
}

it('the clock is the same in a replay although a query was answered while a local activity ended', async () => {
  const { events } = await replayed('waitsForTheRest', {});
  expect(events.filter((event) => event === 'timerStartedEventAttributes')).toHaveLength(1);
});

it('a signal that comes while a local activity is open is told after its end, in a replay too', async () => {
  const { result, events } = await replayed('hearsMeanwhile', {
    meanwhile: (handle) => handle.signal(meanwhileSignal),
  });
  // What it is about: the end is recorded before the signal, and told with it.
  expect(events.indexOf('markerRecordedEventAttributes')).toBeLessThan(
    events.lastIndexOf('workflowExecutionSignaledEventAttributes'),
  );
  expect(result).toEqual({ isBefore: false, isLater: true });
});

it('whoever goes on as another run hears before of what is kept back', async () => {
  const { result } = await replayed('hearsAll', { meanwhile: (handle) => handle.signal(meanwhileSignal) });
  expect(result).toEqual({ isBefore: false, isThen: true });
});

it('so is the end of another activity', async () => {
  const { result, events } = await replayed('worksAndNaps', {
    isWorking: true,
    // A local activity that takes long on a busy machine is tried again: it is complete by then.
    meanwhile: ({ workflowId }) =>
      client.activity.complete({ workflowId, activityId: 'work' }, null).catch(() => undefined),
  });
  expect(events.indexOf('markerRecordedEventAttributes')).toBeLessThan(
    events.indexOf('activityTaskCompletedEventAttributes'),
  );
  expect(result).toEqual(['napped', 'worked']);
});

it('what follows the end of a local activity is done before another one ends, in a replay too', async () => {
  const { result } = await replayed('napsTwice', { isAsked: false });
  expect(result).toEqual(['long', 'short']);
});

it('that a history has become long while a local activity went on is no reason to go on as another run in a replay either', async () => {
  const { result, events } = await replayed('napsForLong', {
    isAsked: false,
    workflowTaskTimeout: '1 second',
  });
  expect(result).toBe(false);
  // What it is about: the workflow task was prolonged.
  const completed = events.filter((event) => event === 'workflowTaskCompletedEventAttributes');
  expect(completed.length).toBeGreaterThan(2);
});

it('what takes longer than a workflow task is an ordinary activity: the clock before it is the same in a replay', async () => {
  const { events } = await replayed('napsLate', { isAsked: false, workflowTaskTimeout: '5 seconds' });
  expect(events).toContain('activityTaskScheduledEventAttributes');
});

it('so is what waits too long for one of the places of local ones', async () => {
  const { events } = await replayed('napsTogether', {
    isAsked: false,
    workflowTaskTimeout: '5 seconds',
    places: 1,
  });
  expect(events.filter((event) => event === 'activityTaskScheduledEventAttributes')).toHaveLength(2);
});

it('so is what failed as a local one, unless that was final', async () => {
  const passing = await replayed('triesLocally', { isAsked: false, args: ['passing'] });
  expect(passing.result).toBe('as an ordinary one');
  const final = await replayed('triesLocally', { isAsked: false, args: ['final'] });
  expect(final.result).toBe('for good');
  expect(final.events).not.toContain('activityTaskScheduledEventAttributes');
});

it("a run's last words stay local, however often they are tried: no Reset comes between them and its end", async () => {
  const { result } = await replayed('saysLast', { isAsked: false });
  expect(result).toBe('as a local one');
});
