import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, Connection } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { follow } from '../../src/client/following/run-follower.ts';
import { GenerationHandle as StartedGeneration } from '../../src/client/generation-handle.ts';
import { DarkroomClient, type GenerationHandle, WorkflowNotFoundError } from '../../src/client/index.ts';
import type { CallOptions } from '../../src/client/options.ts';
import type { Progress } from '../../src/contract/generation.ts';
import { progressQuery, taskEventSignal } from '../../src/contract/messages.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { patience } from '../patience.ts';
import { rejection } from '../rejection.ts';
import { resetRun } from '../reset-run.ts';
import { TemporalProxy } from '../temporal-proxy.ts';
import { eventually, FAST, image, openWorld, WEBHOOK_ONLY, type World } from '../workflows/world.ts';

let world: World;
let proxy: TemporalProxy;
let client: Client & { connection: Connection };
let darkroom: DarkroomClient;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world?.close());

beforeEach(async () => {
  proxy = await TemporalProxy.open(world.config.temporal.address);
  client = await connectClient({ ...world.config.temporal, address: proxy.address });
  darkroom = new DarkroomClient(client, { taskQueue: world.config.taskQueue });
});
afterEach(async () => {
  await client.connection.close();
  await proxy[Symbol.asyncDispose]();
});

/** A generation whose task does not end before `release` is called. */
async function held(prompt: string): Promise<{ handle: GenerationHandle; release: () => void }> {
  const release = world.hold(prompt);
  const handle = await darkroom.start('image-l', { prompt }, { policy: WEBHOOK_ONLY });
  await world.until(world.client.workflow.getHandle(handle.workflowId), 'waiting');
  return { handle, release };
}

/** Follows it to its end, as one who wants to see everything. */
async function watch(handle: GenerationHandle, onState?: (state: string) => unknown): Promise<string[]> {
  const seen: string[] = [];
  for await (const { state } of handle.progress({ every: '20ms' })) {
    seen.push(state);
    await onState?.(state);
  }
  return seen;
}

describe('following', () => {
  it('costs for two dozen watchers what it costs for one', async () => {
    const watchers = 24;
    const cost = async (count: number): Promise<{ queries: number; polls: number; seconds: number }> => {
      const { handle, release } = await held(`watched by ${count}`);
      proxy.clear();
      const { workflowId } = handle;
      const waiting = new Set<number>();
      // As by the requests of a service: each has a handle of its own.
      const watched = Array.from({ length: count }, async (_, index) => {
        const mine = (await darkroom.attach(workflowId)) as GenerationHandle;
        const [seen, result] = await Promise.all([
          watch(mine, (state) => state === 'waiting' && waiting.add(index)),
          mine.result(),
        ]);
        expect(seen.at(-1)).toBe('done');
        expect(result.status).toBe('COMPLETED');
      });
      await expect.poll(() => waiting.size, { timeout: patience(30_000) }).toBe(count);
      const released = performance.now();
      release();
      await Promise.all(watched);
      const seconds = (performance.now() - released) / 1_000;
      const polls = proxy.count('GetWorkflowExecutionHistory');
      return { queries: proxy.count('QueryWorkflow'), polls, seconds };
    };
    const one = await cost(1);
    const many = await cost(watchers);
    // One when it is first followed, one when it has heard of the end, and one of how it stood then; one a second meanwhile.
    for (const { queries, seconds } of [one, many]) expect(queries).toBeLessThanOrEqual(3 + seconds);
    expect(many.polls).toBeLessThan(watchers);
  });

  it('asks no more than once a second, however much a run does', async () => {
    const { handle, release } = await held('busy');
    const busy = world.client.workflow.getHandle(handle.workflowId);
    proxy.clear();
    const began = performance.now();
    const watched = watch(handle);
    while (performance.now() - began < 4_000) {
      await busy.signal(taskEventSignal, { webhookId: 'w', type: 'task.started', taskId: 'another' });
      await delay(20);
    }
    const queries = proxy.count('QueryWorkflow');
    expect(queries).toBeGreaterThanOrEqual(2);
    expect(queries).toBeLessThanOrEqual(1 + (performance.now() - began) / 1_000);
    release();
    await watched;
  });

  it('asks nothing while a run does nothing, also where its long polls are closed', async () => {
    proxy.closesPollsAfter = 6_000; // as the server does by itself after 20 s
    const { handle, release } = await held('closed polls');
    let isWaiting = false;
    const watched = watch(handle, (state) => {
      isWaiting ||= state === 'waiting';
    });
    await expect.poll(() => isWaiting, { timeout: patience(10_000) }).toBe(true);
    proxy.clear();
    await expect
      .poll(() => proxy.count('GetWorkflowExecutionHistory'), { timeout: patience(40_000) })
      .toBeGreaterThanOrEqual(4);
    expect(proxy.count('QueryWorkflow')).toBe(0);
    release();
    expect((await watched).at(-1)).toBe('done');
    expect((await handle.result()).status).toBe('COMPLETED');
  });

  it('goes on when Temporal is back that was away, with what has happened meanwhile', async () => {
    const { handle, release } = await held('away');
    let isWaiting = false;
    const watched = watch(handle, (state) => {
      isWaiting ||= state === 'waiting';
    });
    const result = handle.result();
    await expect.poll(() => isWaiting, { timeout: patience(10_000) }).toBe(true);
    await proxy.leave();
    release();
    expect((await world.client.workflow.getHandle(handle.workflowId).result()).status).toBe('COMPLETED');
    await delay(1_000); // the connection is known to be gone
    await proxy.back();
    expect((await result).status).toBe('COMPLETED');
    expect((await watched).at(-1)).toBe('done');
  });

  it('goes on with the run that a Reset has put in the place of the one that was followed', async () => {
    const { handle, release } = await held('reset while followed');
    const watched = watch(handle);
    const result = handle.result();
    await resetRun(world.client, handle.workflowId);
    await world.until(world.client.workflow.getHandle(handle.workflowId), 'waiting');
    release();
    expect((await result).attempts).toMatchObject([{ adopted: true }]);
    expect((await watched).at(-1)).toBe('done');
  });

  it('tells that a run is silent where it has something to do and its worker has gone', async () => {
    const polling = { first: '1s', factor: 1, max: '1s' };
    const release = world.hold('followed without a worker');
    const handle = await world.start(image('followed without a worker', { ...FAST, polling }));
    await world.until(handle, 'waiting');
    const look = (): Promise<unknown> => handle.query(progressQuery);
    const following = follow(world.client, { workflowId: handle.workflowId, look }, 20);
    try {
      await expect.poll(() => following.latest, { timeout: patience(10_000) }).toBeDefined();
      expect(following.silentSince).toBeUndefined();
      await world.stopWorker();
      await expect.poll(() => following.silentSince, { timeout: patience(40_000) }).toBeDefined();
      await world.startWorker();
      await expect.poll(() => following.silentSince, { timeout: patience(20_000) }).toBeUndefined();
    } finally {
      following.leave();
      release();
    }
    await handle.result();
  });

  describe('where no worker tells how a run stood at its end', () => {
    /** Tells how it stands once, and is not answered any more. */
    class Silent extends StartedGeneration {
      #looks = 0;

      override async currentProgress(options?: CallOptions): Promise<Progress> {
        this.#looks += 1;
        if (this.#looks > 1) return await new Promise<never>(() => undefined);
        return await super.currentProgress(options);
      }
    }

    /** One who waits for that as long as it takes, and a run that ends when `end` is called. */
    async function patient(prompt: string) {
      const { handle } = await held(prompt);
      const silent = new Silent(client, handle.workflowId, handle);
      const stop = new AbortController();
      const seen: string[] = [];
      const follow = async (signal: AbortSignal): Promise<void> => {
        for await (const { state } of silent.progress({ signal })) seen.push(state);
      };
      const waits = follow(stop.signal);
      await eventually(() => expect(seen).toEqual(['waiting']));
      const end = async (): Promise<void> => {
        await world.client.workflow.getHandle(handle.workflowId).terminate('a test');
        await rejection(handle.result());
      };
      return { silent, end, follow, waits, stop };
    }

    it('hands the result over, although somebody else still waits for that', async () => {
      const { silent, end, waits, stop } = await patient('ended unseen');
      const seen: string[] = [];
      const result = rejection(silent.result({ onProgress: ({ state }) => void seen.push(state) }));
      await eventually(() => expect(seen).toEqual(['waiting']));
      await end();
      expect(await Promise.race([result, waits])).toMatchObject({ name: 'RunTerminatedError' });
      stop.abort();
      await waits;
    });

    it('ends with the signal of who waits for that', async () => {
      const { end, follow, waits, stop } = await patient('left at its end');
      const left = new AbortController();
      const leaves = follow(left.signal).then(() => 'has left');
      await end();
      left.abort();
      expect(await Promise.race([leaves, waits])).toBe('has left');
      stop.abort();
      await waits;
    });
  });

  it('of a run that is not there does not look as if it had ended', async () => {
    const started = { runId: randomUUID(), taskQueue: world.config.taskQueue, attached: true };
    const gone = new StartedGeneration(client, 'generation/never-was', started);
    expect(await rejection(watch(gone))).toBeInstanceOf(WorkflowNotFoundError);
  });

  it('ends with the connection that the caller closes', async () => {
    proxy.closesPollsAfter = 1_200; // the open one goes on until then
    const { handle, release } = await held('closed connection');
    const [watched, result] = [rejection(watch(handle)), rejection(handle.result())];
    await delay(500);
    await client.connection.close();
    expect(await watched).toBeInstanceOf(Error);
    expect(await result).toBeInstanceOf(Error);
    release();
    await world.client.workflow.getHandle(handle.workflowId).result();
  });
});
