import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../src/client/following/call.ts';
import { GenerationHandle as StartedGeneration } from '../../src/client/generation-handle.ts';
import {
  DarkroomClient,
  type GenerationHandle,
  NoWorkerError,
  type PipelineHandle,
  StillRunningError,
  WorkflowNotFoundError,
} from '../../src/client/index.ts';
import { PipelineHandle as StartedPipeline } from '../../src/client/pipeline-handle.ts';
import type { Progress } from '../../src/contract/generation.ts';
import { rejection } from '../rejection.ts';
import { eventually, FAST, openWorld, WEBHOOK_ONLY, type World } from '../workflows/world.ts';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

let world: World;
let darkroom: DarkroomClient;

beforeAll(async () => {
  world = await openWorld();
  darkroom = new DarkroomClient(world.client, { taskQueue: world.config.taskQueue });
});
afterAll(() => world.close());

describe('waiting', () => {
  /** A generation that waits for a webhook which never comes. */
  const never = (): Promise<GenerationHandle> => {
    const prompt = randomUUID();
    world.loseWebhooks(prompt);
    return darkroom.start('image-l', { prompt }, { policy: WEBHOOK_ONLY });
  };

  it('ends with its time-out while the work goes on, and says how to come back', async () => {
    const handle = await never();
    const error = await rejection(handle.result({ timeout: 200 }));
    expect(error).toBeInstanceOf(StillRunningError);
    expect(error).toMatchObject({
      workflowId: handle.workflowId,
      message: `not done after 200 ms: ${handle.workflowId} goes on. To come back to it: darkroom.attach("${handle.workflowId}")`,
    });
    const back = await darkroom.attach(handle.workflowId);
    expect((await back.currentProgress()).usage.total).toBeGreaterThanOrEqual(0);
    await back.cancel();
  });

  it('ends when its signal is aborted, with the reason as the cause', async () => {
    const handle = await never();
    const abort = new AbortController();
    const waited = rejection(handle.result({ signal: abort.signal }));
    const reason = new Error('the caller has gone');
    abort.abort(reason);
    expect(await waited).toMatchObject({ name: 'StillRunningError', cause: reason });
    await handle.cancel();
  });

  it('starts nothing for a caller that has gone already', async () => {
    const key = randomUUID();
    const signal = AbortSignal.abort(new Error('gone'));
    expect(await rejection(darkroom.generate('image-l', { prompt: 'x' }, { key, signal }))).toMatchObject({
      message: 'gone',
    });
    expect(await rejection(darkroom.attach(`generation/${key}`))).toBeInstanceOf(WorkflowNotFoundError);
  });

  it('names a task queue that nobody polls, and those that are polled', async () => {
    const nobody = `nobody-${randomUUID()}`;
    const wrong = new DarkroomClient(world.client, { taskQueue: nobody });
    await darkroom.generate('image-l', { prompt: 'so that the right queue is known' }, { policy: FAST });
    // The server hears of a new worker by its first heartbeat.
    await eventually(async () => {
      const error = await rejection(wrong.generate('image-l', { prompt: 'unheard' }));
      expect(error).toBeInstanceOf(NoWorkerError);
      expect(error).toMatchObject({
        taskQueue: nobody,
        polled: expect.arrayContaining([world.config.taskQueue]),
        message: expect.stringContaining(`no worker polls task queue ${nobody} (polled are: `),
      });
    });
  });

  it('follows what a run does until it has ended', async () => {
    const handle = await darkroom.start('image-l', { prompt: 'followed' }, { policy: FAST });
    const seen: Progress[] = [];
    for await (const progress of handle.progress({ every: '20ms' })) seen.push(progress);
    expect(seen.at(-1)?.state).toBe('done');
    expect(new Set(seen.map((progress) => JSON.stringify(progress))).size).toBe(seen.length);
    expect(await handle.result()).toMatchObject({ status: 'COMPLETED' });
  });

  it('follows what a run does until its signal is aborted, while the work goes on', async () => {
    const handle = await never();
    const abort = new AbortController();
    const reason = new Error('the caller has gone');
    const seen: string[] = [];
    const follow = async (): Promise<void> => {
      for await (const { state } of handle.progress({ every: '20ms', signal: abort.signal })) {
        seen.push(state);
        if (state === 'waiting') abort.abort(reason);
      }
    };
    const { workflowId } = handle;
    expect(await rejection(follow())).toMatchObject({ name: 'StillRunningError', workflowId, cause: reason });
    expect(seen.at(-1)).toBe('waiting');
    expect((await handle.currentProgress()).state).toBe('waiting');
    await handle.cancel();
  });

  it('follows what a run does for no longer than its time-out', async () => {
    const handle = await never();
    const follow = async (): Promise<void> => {
      for await (const { state } of handle.progress({ every: '20ms', timeout: '300ms' }))
        expect(state).not.toBe('done');
    };
    expect(await rejection(follow())).toMatchObject({
      name: 'StillRunningError',
      message: expect.stringContaining('not done after 300 ms'),
    });
    await expect(handle.progress({ timeout: 'soon' as never }).next()).rejects.toThrow(RangeError);
    await expect(handle.progress({ every: 'often' as never }).next()).rejects.toThrow(RangeError);
    await handle.cancel();
  });
});

describe('a Temporal that is frozen', () => {
  let frozen: Server;
  let client: DarkroomClient;
  let generation: GenerationHandle;
  let pipeline: PipelineHandle;
  let connection: Connection;
  const open = new Set<object>();
  const countOpen: Interceptor = (options, nextCall) => {
    const call = nextCall(options) as ReturnType<Interceptor>; // gRPC passes on what it is given
    const start = call.start.bind(call);
    call.start = (metadata, listener) => {
      open.add(call);
      start(metadata, {
        ...listener,
        onReceiveStatus(status) {
          open.delete(call);
          listener?.onReceiveStatus?.(status);
        },
      });
    };
    return call;
  };

  beforeAll(async () => {
    frozen = createServer().listen(0, '127.0.0.1'); // takes connections, and says nothing
    await once(frozen, 'listening');
    const { port } = frozen.address() as AddressInfo; // a TCP server's address
    connection = Connection.lazy({ address: `127.0.0.1:${port}`, interceptors: [countOpen] });
    const temporal = new Client({ connection });
    client = new DarkroomClient(temporal);
    const started = { runId: 'any', taskQueue: 'darkroom', attached: true };
    generation = new StartedGeneration(temporal, id, started);
    pipeline = new StartedPipeline(temporal, 'pipeline/somebody', started);
  });
  afterAll(async () => {
    await connection.close();
    frozen.close();
  });

  const options = { timeout: 300 } as const;
  const id = 'generation/somebody';
  const calls: Record<string, (given: { signal?: AbortSignal; timeout?: number }) => Promise<unknown>> = {
    start: (given) => client.start('image-l', { prompt: 'x' }, given),
    attach: (given) => client.attach(id, given),
    get: (given) => client.get(id, given),
    list: (given) => client.list({}, given),
    cancel: (given) => client.cancel(id, given),
    decide: (given) => client.decide(id, { action: 'fail' }, given),
    rerun: (given) => client.rerun(id, {}, given),
    reset: (given) => client.reset(id, given),
    'cancel of a run': (given) => generation.cancel(given),
    currentProgress: (given) => generation.currentProgress(given),
    checkNow: (given) => generation.checkNow(given),
    'decide of a generation': (given) => generation.decide({ action: 'fail' }, given),
    'currentProgress of a pipeline': (given) => pipeline.currentProgress(given),
    'decide of a pipeline': (given) => pipeline.decide({ step: 'still', action: 'approve' }, given),
  };

  it.each(Object.keys(calls))('keeps %s no longer than its time-out, or its signal', async (name) => {
    expect(await rejection(calls[name]?.(options) ?? Promise.resolve())).toMatchObject({
      name: 'TemporalUnreachable',
      message: expect.stringContaining('no answer within 300 ms'),
    });
    const abort = new AbortController();
    const gone = rejection(calls[name]?.({ signal: abort.signal }) ?? Promise.resolve());
    abort.abort(new Error('the caller has gone'));
    expect(await gone).toMatchObject({ message: 'the caller has gone' });
    // One that goes on would end with its connection only, and the process with it.
    await eventually(() => expect(open.size).toBe(0));
  });

  it('ends what a call asks on the way with the call itself', async () => {
    const within = call(client.temporal, options, () => generation.currentProgress());
    expect(await rejection(within)).toMatchObject({ message: expect.stringContaining('within 300 ms') });
  });

  it('is told with the id to come back to by whoever starts and waits', async () => {
    const key = randomUUID();
    const wait = (given: object) => rejection(client.generate('image-l', { prompt: 'x' }, { key, ...given }));
    const workflowId = `generation/${key}`;
    expect(await wait(options)).toMatchObject({ name: 'StillRunningError', workflowId });
    const abort = new AbortController();
    const gone = wait({ signal: abort.signal });
    const reason = new Error('the caller has gone');
    abort.abort(reason);
    expect(await gone).toMatchObject({ name: 'StillRunningError', workflowId, cause: reason });
  });
});
