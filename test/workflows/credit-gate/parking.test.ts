import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { resetHere, resetRun } from '../../reset-run.ts';
import { eventually, type Generation, image, openWorld, WEBHOOK_ONLY, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Looks at the balance often; nobody tries again although it has not grown. */
const UNTIL_GROWN = {
  ...WEBHOOK_ONLY,
  retries: { ...WEBHOOK_ONLY.retries, INSUFFICIENT_CREDITS: { initial: 100, factor: 1, max: 600_000 } },
};

describe('without credits', () => {
  it('a run that is Reset while it is parked, or after it was, goes on', async () => {
    const prompt = 'reset parked';
    const error = { kind: 'error', code: 'INSUFFICIENT_CREDITS' } as const;
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, times: 1, fault: error });
    const workspace = world.emulator.service().accounts.workspace('default');
    if (workspace === undefined) throw new Error('no default workspace');
    const handle = await world.start(image(prompt, UNTIL_GROWN));
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

  it('a run that was Reset waits for them, although it is told once more of a task that has failed', async () => {
    const match = { promptIncludes: 'failed, Reset, and parked' };
    world.fault({ on: 'task', match, times: 1, fault: { kind: 'fail', code: 'INVALID_INPUT' } });
    const handle = await world.start(image(match.promptIncludes, UNTIL_GROWN));
    await world.failureOf(handle);
    world.fault({ on: 'submit', match, fault: { kind: 'error', code: 'INSUFFICIENT_CREDITS' } });
    await resetRun(world.client, handle.workflowId);
    const again: Generation = world.client.workflow.getHandle(handle.workflowId);
    const scheduled = await eventually(async () => {
      const { events } = await again.fetchHistory();
      const names = (events ?? []).map(
        (event) => event.activityTaskScheduledEventAttributes?.activityType?.name,
      );
      expect(names.filter((name) => name === 'enterCreditGate').length).toBeGreaterThan(3);
      return names;
    });
    expect(scheduled.filter((name) => name === 'submitTask')).toHaveLength(1);
    await again.terminate();
  });

  it('a run is parked, and goes on in order when the balance has grown', async () => {
    const own = await openWorld({
      emulator: { accounts: [{ workspace: 'default', credits: { permanent: 0, subscription: 3 } }] },
    });
    try {
      const handles = [];
      // Those that wait for their turn do not look themselves: on a busy machine they could be quicker than the gate.
      const rarely = {
        ...UNTIL_GROWN.retries,
        INSUFFICIENT_CREDITS: { initial: '5m', factor: 1, max: '5m' },
      };
      for (const prompt of ['first', 'second', 'third']) {
        const policy = prompt === 'first' ? UNTIL_GROWN : { ...UNTIL_GROWN, retries: rarely };
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

  /** A world whose workspace has so many credits, and how to give it more. */
  async function poor(credits: number): Promise<{ own: World; give: (credits: number) => void }> {
    const own = await openWorld({
      emulator: { accounts: [{ workspace: 'default', credits: { permanent: 0, subscription: credits } }] },
    });
    const { accounts } = own.emulator.service();
    const give = (more: number): void => {
      const workspace = accounts.workspace('default');
      if (workspace === undefined) throw new Error('no default workspace');
      workspace.pools.permanent += more;
      accounts.saveWorkspace(workspace);
    };
    return { own, give };
  }
  const gateOf = (own: World) =>
    own.client.workflow.getHandle(entityId('credit-gate', 'default', own.config.taskQueue));
  const often = {
    ...WEBHOOK_ONLY,
    retries: { ...WEBHOOK_ONLY.retries, INSUFFICIENT_CREDITS: { initial: 100, factor: 1, max: 100 } },
  };
  const FRUGAL = { model: 'image-o', input: { prompt: 'frugal' }, policy: often };

  it('runs that were refused by mistake go on although the balance has not grown', async () => {
    const prompt = 'refused by mistake';
    const error = { kind: 'error', code: 'INSUFFICIENT_CREDITS' } as const;
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, times: 3, fault: error });
    const policy = {
      ...WEBHOOK_ONLY,
      retries: { INSUFFICIENT_CREDITS: { initial: 100, factor: 1, max: 100 } },
    };
    const handles = await Promise.all([1, 2, 3].map((n) => world.start(image(`${prompt} ${n}`, policy))));
    for (const handle of handles) {
      expect((await handle.result()).attempts).toMatchObject([{ outcome: 'completed' }]);
      expect(world.charges(handle.workflowId)).toHaveLength(1);
    }
  });

  it('a run that is Reset to where it was parked takes the task that it has got since', async () => {
    const { own, give } = await poor(3);
    try {
      const handle = await own.start(image('parked once', UNTIL_GROWN));
      await own.until(handle, 'parked');
      const resetToParked = await resetHere(own.client, handle.workflowId);
      give(5);
      const { taskId } = await handle.result();
      await resetToParked();
      const again: Generation = own.client.workflow.getHandle(handle.workflowId);
      expect((await again.result()).taskId).toBe(taskId);
      expect(own.bought(handle)).toEqual([taskId]);
    } finally {
      await own.close();
    }
  });

  it('a parked run goes on by itself where its gate was terminated', async () => {
    const { own, give } = await poor(3);
    try {
      const handle = await own.start(image('without a gate', often));
      await own.until(handle, 'parked');
      await eventually(() => gateOf(own).terminate());
      give(8);
      expect((await handle.result()).attempts).toMatchObject([{ outcome: 'completed' }]);
    } finally {
      await own.close();
    }
  });

  it('a parked run enters a gate again that does not know it', async () => {
    const { own } = await poor(3);
    try {
      const handle = await own.start(image('unknown to its gate', often));
      await own.until(handle, 'parked');
      await eventually(() => gateOf(own).terminate());
      await eventually(async () => {
        expect((await gateOf(own).describe()).status.name).toBe('RUNNING');
        expect(await own.details(gateOf(own))).toContain(handle.workflowId);
      });
      await handle.cancel();
    } finally {
      await own.close();
    }
  });

  it('a parked run says what it needs, what there is and when it looks again', async () => {
    const { own } = await poor(10);
    try {
      const fault = { kind: 'fail', code: 'TIMEOUT' } as const;
      own.fault({ on: 'task', match: { promptIncludes: 'says' }, times: 1, fault });
      const handle = await own.start(image('says what it needs', often));
      await own.until(handle, 'parked');
      await eventually(async () =>
        expect(await own.details(handle)).toMatch(/needs 8 credits, 2 are available; looks again by 20\d\d-/),
      );
      await handle.cancel();
    } finally {
      await own.close();
    }
  });

  it('a run that was terminated while it waited does not hold up the others', async () => {
    const { own, give } = await poor(10);
    try {
      const fault = { kind: 'fail', code: 'TIMEOUT' } as const;
      own.fault({ on: 'task', match: { promptIncludes: 'dead' }, times: 1, fault });
      const dead = await own.start(image('dead', often));
      await own.until(dead, 'parked');
      await eventually(async () => expect(await own.details(gateOf(own))).toContain(dead.workflowId));
      const second = await own.start(FRUGAL);
      await own.until(second, 'parked');
      await dead.terminate();
      await eventually(async () => expect(await own.details(gateOf(own))).not.toContain(dead.workflowId));
      give(4);
      expect((await second.result()).attempts).toMatchObject([{ outcome: 'completed' }]);
    } finally {
      await own.close();
    }
  });

  it('messages that are none stop neither the gate nor a parked run', async () => {
    const { own, give } = await poor(3);
    try {
      const handle = await own.start(image('not impressed', UNTIL_GROWN));
      await own.until(handle, 'parked');
      const gate = gateOf(own);
      await eventually(async () => expect(await own.details(gate)).toContain(handle.workflowId));
      for (const nonsense of [
        null,
        5,
        'parked',
        [],
        { parkId: 5 },
        { parkId: 'p', workflowId: 'w', pace: 0 },
      ]) {
        await gate.signal('parked', nonsense);
        await gate.signal('left', nonsense);
        await handle.signal('creditsReleased', nonsense);
      }
      await gate.signal('parked');
      await gate.signal('left');
      await handle.signal('creditsReleased');
      give(8);
      expect((await handle.result()).attempts).toMatchObject([{ outcome: 'completed' }]);
      await eventually(async () => expect((await gate.describe()).status.name).toBe('COMPLETED'));
    } finally {
      await own.close();
    }
  });
});
