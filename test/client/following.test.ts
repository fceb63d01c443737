import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followProgress } from '../../src/client/following/follow-progress.ts';
import { follow } from '../../src/client/following/run-follower.ts';
import { progressQuery } from '../../src/contract/messages.ts';
import { patience } from '../patience.ts';
import { FAST, openWorld, type World } from '../workflows/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe('a run that is followed', () => {
  it('is told to be silent where it has something to do and its worker has gone', async () => {
    const release = world.hold('followed without a worker');
    const polling = { first: '1s', factor: 1, max: '1s' };
    const handle = await world.start({
      model: 'image-l',
      input: { prompt: 'followed without a worker' },
      policy: { ...FAST, polling },
    });
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

  it('whose end cannot be asked for does not look as if it had ended', async () => {
    const release = world.hold('followed to no end');
    const handle = await world.start({
      model: 'image-l',
      input: { prompt: 'followed to no end' },
      policy: FAST,
    });
    const { workflowId } = handle;
    const end = (): Promise<never> => Promise.reject(new Error('permission denied'));
    const look = (): Promise<unknown> => handle.query(progressQuery);
    const { taskQueue } = world.config;
    const follow = async (): Promise<void> => {
      for await (const _ of followProgress(world.client, { workflowId, taskQueue, end, look })) continue;
    };
    await expect(follow()).rejects.toThrow('permission denied');
    release();
    await handle.result();
  });
});
