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

  it('waits so for the submit that follows a lost one, too', async () => {
    const prompt = 'mid-second-post';
    world.fault({
      on: 'submit',
      match: { promptIncludes: prompt },
      times: 1,
      fault: { kind: 'lost-before' },
    });
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, fault: { kind: 'slow', ms: 1_500 } });
    const handle = await world.start(
      image(prompt, {
        ...WEBHOOK_ONLY,
        reconcile: { wait: '100ms', otherwise: 'resubmit' },
      }),
    );
    await eventually(() => expect(world.charges(handle.workflowId)).toHaveLength(1));
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    const [charge] = world.charges(handle.workflowId);
    expect((await handle.describe()).memo).toMatchObject({ cancelled: { taskId: charge?.taskId } });
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
