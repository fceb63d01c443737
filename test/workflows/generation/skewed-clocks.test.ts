import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { noticeOf } from '../../../src/temporal/unclaimed-tasks.ts';
import { eventually, FAST, image, openWorld, type World } from '../world.ts';

const MINUTE = 60_000;

const skew = new AsyncLocalStorage<number>();
const now = Date.now.bind(Date);

/** A worker whose activities that submit have a clock which is so far ahead. */
const openSkewed = (by: number): Promise<World> =>
  openWorld({
    activities: (activities) => ({
      ...activities,
      submitTask: (request) => skew.run(by, () => activities.submitTask(request)),
    }),
  });

let ahead: World;
let behind: World;
beforeAll(async () => {
  Date.now = () => now() + (skew.getStore() ?? 0);
  [ahead, behind] = await Promise.all([openSkewed(MINUTE), openSkewed(-MINUTE)]);
});
afterAll(async () => {
  Date.now = now;
  await Promise.all([ahead.close(), behind.close()]);
});

/** Tells of a task whose event says nothing of its creation. */
async function tellOf(world: World, taskId: string, prompt: string, receivedAt: number): Promise<void> {
  const task = { taskId, webhookId: `msg_${taskId}`, input: { prompt }, createdAt: null, receivedAt };
  const entity = entityId('unclaimed-tasks', 'default', world.config.taskQueue);
  const tasks = [noticeOf(task, undefined)];
  // The run's claim starts it.
  await eventually(() =>
    world.client.workflow.getHandle(entity).signal('taskCreated', { tasks, toldAt: Date.now() }),
  );
}

describe('a lost submit of a worker whose clock is wrong', () => {
  const policy = { ...FAST, reconcile: { wait: '6s', otherwise: 'resubmit' } };

  it('finds its task where the clock is ahead', async () => {
    const world = ahead;
    const prompt = 'lost a minute ahead';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, policy));
    await world.until(handle, 'reconciling');
    const [taskId = ''] = world.bought(handle);
    await tellOf(world, taskId, prompt, Date.now());
    expect((await handle.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('takes none that was there before where the clock is behind', async () => {
    const world = behind;
    const prompt = 'lost a minute behind';
    world.loseWebhooks(prompt);
    const before = await world.buyOutside(prompt);
    world.loseAnswer(prompt);
    const handle = await world.start(image(prompt, policy));
    await world.until(handle, 'reconciling');
    const [taskId = ''] = world.bought(handle);
    await tellOf(world, before, prompt, Date.now() - MINUTE / 2);
    await tellOf(world, taskId, prompt, Date.now());
    expect((await handle.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });
});
