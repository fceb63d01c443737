import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetRun } from '../../reset-run.ts';
import { eventually, type Generation, image, openWorld, WEBHOOK_ONLY, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe('without credits', () => {
  it('a run that is Reset while it is parked, or after it was, goes on', async () => {
    const prompt = 'reset parked';
    const error = { kind: 'error', code: 'INSUFFICIENT_CREDITS' } as const;
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, times: 1, fault: error });
    const workspace = world.emulator.service().accounts.workspace('default');
    if (workspace === undefined) throw new Error('no default workspace');
    const handle = await world.start(image(prompt));
    await world.until(handle, 'parked');
    const entered = async (): Promise<void> => {
      const { events } = await handle.fetchHistory();
      expect(events?.some((event) => event.activityTaskCompletedEventAttributes)).toBe(true);
    };
    await eventually(entered);
    await resetRun(world.client, handle.workflowId, 1);
    const again: Generation = world.client.workflow.getHandle(handle.workflowId);
    await world.until(again, 'parked');
    workspace.pools.permanent += 100;
    world.emulator.service().accounts.saveWorkspace(workspace);
    const before = await again.result();
    await resetRun(world.client, handle.workflowId, 1);
    const after = await again.result();
    expect(after.taskId).toBe(before.taskId);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('a run is parked, and goes on in order when the balance has grown', async () => {
    const own = await openWorld({
      emulator: { accounts: [{ workspace: 'default', credits: { permanent: 0, subscription: 3 } }] },
    });
    try {
      const policy = {
        ...WEBHOOK_ONLY,
        retries: { INSUFFICIENT_CREDITS: { initial: 100, factor: 1, max: 100 } },
      };
      const handles = [];
      for (const prompt of ['first', 'second', 'third']) {
        const handle = await own.start(image(`parked ${prompt}`, policy));
        await own.until(handle, 'parked');
        handles.push(handle);
      }
      const [first, second, third] = handles as [Generation, Generation, Generation];
      await eventually(async () => {
        const { searchAttributes } = await first.describe();
        expect(searchAttributes['DarkroomState']).toEqual(['waiting for credits']);
      });
      const accounts = own.emulator.service().accounts;
      const workspace = accounts.workspace('default');
      if (workspace === undefined) throw new Error('no default workspace');
      workspace.pools.permanent += 16;
      accounts.saveWorkspace(workspace);
      await Promise.all([first.result(), second.result()]);
      await own.until(third, 'parked');
      expect(own.charges(third.workflowId)).toEqual([]);
      workspace.pools.permanent += 8;
      accounts.saveWorkspace(workspace);
      expect((await third.result()).attempts).toMatchObject([{ outcome: 'completed' }]);
    } finally {
      await own.close();
    }
  });
});
