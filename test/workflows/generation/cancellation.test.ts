import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, image, openWorld, WEBHOOK_ONLY, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe.concurrent('a cancelled run', () => {
  it('stops waiting at once, and leaves the id and cost of its task on record', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'enough' }, fault: { kind: 'hang' } });
    const handle = await world.start(image('enough', WEBHOOK_ONLY));
    await world.until(handle, 'waiting');
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    const [charge] = world.charges(handle.workflowId);
    const { status, memo } = await handle.describe();
    expect(status.name).toBe('CANCELLED');
    expect(memo).toMatchObject({ cancelled: { taskId: charge?.taskId, usage: charge?.usage } });
  });

  it('waits for the answer of a POST in flight, so that the task is known', async () => {
    world.fault({ on: 'submit', match: { promptIncludes: 'mid-post' }, fault: { kind: 'slow', ms: 800 } });
    const handle = await world.start(image('mid-post', WEBHOOK_ONLY));
    await eventually(() => expect(world.charges(handle.workflowId)).toHaveLength(1));
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    const [charge] = world.charges(handle.workflowId);
    expect((await handle.describe()).memo).toMatchObject({ cancelled: { taskId: charge?.taskId } });
  });

  it('leaves to the run that goes on for it what a POST has bought whose answer did not come', async () => {
    const prompt = 'mid-post, and unanswered';
    const match = { promptIncludes: prompt };
    world.fault({ on: 'submit', match, times: 1, fault: { kind: 'slow', ms: 3_000 } });
    const submit = { timeout: '1s', heartbeat: '1s' };
    const handle = await world.start(image(prompt, { ...WEBHOOK_ONLY, submit }));
    await eventually(() => expect(world.charges(handle.workflowId)).toHaveLength(1));
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    const { runId: earlierRun, memo } = await handle.describe();
    expect(memo).toMatchObject({ cancelled: { attempts: [{ outcome: 'unknown' }], charged: { total: 0 } } });
    const next = await world.start({ ...image(prompt, WEBHOOK_ONLY), earlierRun }, handle.workflowId);
    const { taskId, charged } = await next.result();
    expect({ bought: world.bought(handle), charged: charged.total }).toEqual({
      bought: [taskId],
      charged: 8,
    });
  });

  it('leaves on record that its last submit may have bought a task', async () => {
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'cancelled search' },
      fault: { kind: 'lost-before' },
    });
    const handle = await world.start(image('cancelled search'));
    await world.until(handle, 'reconciling');
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    expect((await handle.describe()).memo).toMatchObject({
      cancelled: { taskId: null, attempts: [{ outcome: 'unknown' }] },
    });
  });
});
