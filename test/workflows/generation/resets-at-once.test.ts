import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, type Generation, image, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ activitySlots: 1, audit: { after: 500, every: 200 } });
});
afterAll(() => world?.close());

describe('two Resets of a run whose submit is in flight, one right after the other', () => {
  it('take its task, although the submit that the first one has repeated never began', async () => {
    const prompt = 'reset twice at once';
    const fault = { kind: 'slow', ms: 3_000 } as const;
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, times: 1, fault });
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, FAST));
    await eventually(() => expect(world.bought(handle)).toHaveLength(1));
    expect(await handle.executeUpdate('checkNow')).toMatchObject({ state: 'submitting' });
    for (const _ of ['once', 'and again']) await resetRun(world.client, handle.workflowId, 1);
    const again: Generation = world.client.workflow.getHandle(handle.workflowId);
    const { taskId, attempts } = await again.result();
    expect(attempts).toMatchObject([{ adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });
});
