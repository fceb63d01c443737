import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetHere } from '../../reset-run.ts';
import { eventually, FAST, type Generation, image, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  const credits = { permanent: 8, subscription: 0 };
  world = await openWorld({ emulator: { accounts: [{ workspace: 'default', credits }] } });
});
afterAll(() => world?.close());

describe('a Reset to where a run waited for credits, while its next submit was in flight', () => {
  it('takes the task of that one', async () => {
    const prompt = 'in flight, reset to where it was parked';
    const match = { promptIncludes: prompt };
    const pace = { initial: '50ms', factor: 1, max: '50ms', window: '10s' };
    const policy = { ...FAST, retries: { ...FAST.retries, INSUFFICIENT_CREDITS: pace } };
    world.fault({ on: 'submit', match, times: 1, fault: { kind: 'error', code: 'INSUFFICIENT_CREDITS' } });
    world.fault({ on: 'submit', match, times: 1, fault: { kind: 'slow', ms: 1_500 } });
    const handle = await world.start(image(prompt, policy));
    await world.until(handle, 'parked');
    const reset = await resetHere(world.client, handle.workflowId);
    void handle.executeUpdate('checkNow').catch(() => undefined);
    await eventually(() => expect(world.bought(handle)).toHaveLength(1));
    await reset();
    const again: Generation = world.client.workflow.getHandle(handle.workflowId);
    expect((await again.result()).attempts).toMatchObject([{ outcome: 'completed', adopted: true }]);
    expect(world.bought(handle)).toHaveLength(1);
  });
});
