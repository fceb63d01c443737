import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DarkroomClient,
  type GenerationHandle,
  NoWorkerError,
  StillRunningError,
  WorkflowNotFoundError,
} from '../../src/client/index.ts';
import type { Progress } from '../../src/contract/generation.ts';
import { rejection } from '../rejection.ts';
import { eventually, FAST, openWorld, WEBHOOK_ONLY, type World } from '../workflows/world.ts';

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
