import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { UnclaimedTasksLimits } from '../../../src/contract/entities/unclaimed-tasks.ts';
import { entityId, TAKEN_FOR, takenTaskId } from '../../../src/contract/workflow-ids.ts';
import { isNotFound } from '../../../src/temporal/grpc-status.ts';
import { resetRun } from '../../reset-run.ts';
import {
  eventually,
  FAST,
  type Generation,
  nameElsewhere,
  openWorld,
  receiverOf,
  type World,
} from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());
// The next test starts it with limits of its own.
afterEach(async () => {
  await entity()
    .handle.terminate()
    .catch(() => undefined); // it has ended
});

const entity = () => {
  const id = entityId('unclaimed-tasks', 'default', world.config.taskQueue);
  return { id, handle: world.client.workflow.getHandle(id) };
};

/** Tells the entity of a created task that is none of ours, starting it with those limits if it does not run. */
const announce = (
  taskId: string,
  limits: Partial<UnclaimedTasksLimits>,
  input: Record<string, unknown> = { prompt: taskId },
): Promise<void> => world.tellOfCreation(taskId, input, limits);

/** What the Web UI shows of the entity. */
const details = (): Promise<string | undefined> => world.details(entity().handle);

/** It may have ended by itself by now. */
async function terminateIfOpen(handle: Generation): Promise<void> {
  try {
    await handle.terminate();
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function deleteRun({ workflowId }: Generation): Promise<void> {
  await world.client.workflowService.deleteWorkflowExecution({
    namespace: world.config.temporal.namespace,
    workflowExecution: { workflowId },
  });
}

describe('the tasks that nobody holds', () => {
  it('survive continue-as-new, and so do claims, grants and withdrawals', async () => {
    await announce('first', { entryLife: 20_000, maxHistory: 60 });
    const firstRun = (await entity().handle.describe()).runId;
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'carried over' },
      times: 4,
      fault: { kind: 'lost-after' },
    });
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'nothing bought' },
      fault: { kind: 'lost-before' },
    });
    const found = await Promise.all(
      [0, 1, 2, 3].map((n) =>
        world.start({ model: 'image-l', input: { prompt: `carried over ${n}` }, policy: FAST }),
      ),
    );
    const policy = { ...FAST, reconcile: { wait: '1s', otherwise: 'fail' } };
    const lost = await Promise.all(
      [0, 1, 2].map((n) =>
        world.start({ model: 'image-l', input: { prompt: `nothing bought ${n}` }, policy }),
      ),
    );
    for (let n = 0; n < 25; n += 1) await announce(`foreign-${n}`, {});
    for (const handle of found) {
      const { attempts, taskId } = await handle.result();
      expect(attempts).toMatchObject([{ outcome: 'completed', adopted: true }]);
      expect(world.charges(handle.workflowId).map((charge) => charge.taskId)).toEqual([taskId]);
    }
    for (const handle of lost) expect((await world.failureOf(handle)).type).toBe('SUBMISSION_UNKNOWN');
    expect((await entity().handle.describe()).runId).not.toBe(firstRun);
  });

  it('continue as new where nothing but withdrawals make the history long', async () => {
    await announce('asked-about', { entryLife: 60_000, maxHistory: 60 });
    const { runId } = await entity().handle.describe();
    await eventually(async () => {
      await entity().handle.executeUpdate('withdrawClaims', {
        args: [[{ claimId: 'nobody', as: 'give up' }]],
      });
      expect((await entity().handle.describe()).runId).not.toBe(runId);
    });
  });

  it('keep nobody waiting, even when visibility cannot compare their ids', async () => {
    const lose = (prompt: string): Promise<Generation> => {
      world.loseAnswer(prompt);
      world.loseWebhooks(prompt);
      return world.start({ model: 'image-l', input: { prompt }, policy: FAST });
    };
    const [handle, other] = [await lose('ours'), await lose('odd')];
    await eventually(async () => expect(await details()).toMatch(/, 2 generation/));
    await announce('odd-id-\\', { entryLife: 20_000 }, { prompt: 'odd' });
    const [bought] = world.charges(handle.workflowId);
    await announce(bought?.taskId ?? '', {}, { prompt: 'ours' });
    expect((await handle.result()).attempts).toMatchObject([{ taskId: bought?.taskId, adopted: true }]);
    await terminateIfOpen(other);
  });

  it('are given to those whom their names were taken for, and to others once those are over', async () => {
    await announce('keeps-it-running', { entryLife: 60_000 });
    const lose = (prompt: string): Promise<Generation> => {
      world.loseAnswer(prompt);
      world.loseWebhooks(prompt);
      const policy = { ...FAST, reconcile: { wait: '3s', otherwise: 'ask' } };
      return world.start({ model: 'image-l', input: { prompt }, policy });
    };
    const [ours, moved, theirs, elsewhere] = [
      await lose('named here'),
      await lose('named before it was run again here'),
      await lose('named for another'),
      await lose('has the name of another'),
    ];
    for (const run of [ours, moved, theirs]) await world.until(run, 'reconciling');
    const [mine = '', own = '', other = ''] = [ours, moved, theirs].flatMap((run) => world.bought(run));
    const names = [
      await nameElsewhere(world, own, moved, 'earlier'),
      await nameElsewhere(world, other, elsewhere),
    ];
    await announce(mine, {}, { prompt: 'named here' });
    await announce(own, {}, { prompt: 'named before it was run again here' });
    await announce(other, {}, { prompt: 'named for another' });
    expect((await ours.result()).attempts).toMatchObject([{ taskId: mine, adopted: true }]);
    expect((await moved.result()).attempts).toMatchObject([{ taskId: own, adopted: true }]);
    await eventually(async () =>
      expect(await world.details(theirs)).toContain(`is kept for ${elsewhere.workflowId}`),
    );
    await elsewhere.terminate();
    expect((await theirs.result()).attempts).toMatchObject([{ taskId: other, adopted: true }]);
    const name = await world.client.workflow.getHandle(takenTaskId(mine)).describe();
    expect([name.type, name.taskQueue]).toEqual(['takenTask', world.config.taskQueue]);
    expect(name.memo).toEqual({ [TAKEN_FOR]: await receiverOf(ours) });
    for (const handle of names) await handle.terminate();
  });

  it('are asked about by many claims that give up at once, and answer all of them', async () => {
    const prompt = 'given up together';
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, fault: { kind: 'lost-before' } });
    const policy = { ...FAST, reconcile: { wait: '5s', otherwise: 'ask' } };
    const handles = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        world.start({ model: 'image-l', input: { prompt: `${prompt} ${n}` }, policy }),
      ),
    );
    for (const handle of handles) await world.until(handle, 'needs a decision');
    // Where nobody has it in memory any more, its long history has to be read while all of them ask: more than the ten
    // updates that the server lets a workflow have at once.
    for (let n = 0; n < 60; n += 1) await announce(`foreign-${n}`, { entryLife: 60_000 });
    await world.stopWorker();
    await world.startWorker();
    await Promise.all(
      handles.map((handle) => handle.executeUpdate('decide', { args: [{ action: 'fail' }] })),
    );
    for (const handle of handles) expect((await world.failureOf(handle)).type).toBe('SUBMISSION_UNKNOWN');
  });

  it('are lost where it is terminated: a run that would buy again asks a person', async () => {
    const prompt = 'evidence lost';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const handle = await world.start({
      model: 'image-l',
      input: { prompt },
      policy: { ...FAST, reconcile: { wait: '2s', otherwise: 'resubmit' } },
    });
    await world.until(handle, 'reconciling');
    await eventually(() => entity().handle.terminate());
    const { trouble } = await world.until(handle, 'needs a decision');
    expect(trouble).toContain('was ended from outside meanwhile (TERMINATED)');
    expect(world.bought(handle)).toHaveLength(1);
    await handle.executeUpdate('decide', { args: [{ action: 'resubmit' }] });
    expect((await handle.result()).attempts).toMatchObject([
      { outcome: 'unknown' },
      { outcome: 'completed' },
    ]);
  });

  it('keep the claim of a run that is Reset, and grant it to the run that goes on', async () => {
    await announce('keeps-it-running', { claimCheck: 200, entryLife: 60_000 });
    const prompt = 'reset and looked up';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const policy = { ...FAST, reconcile: { wait: '30s', otherwise: 'fail' } };
    const handle = await world.start({ model: 'image-l', input: { prompt }, policy });
    await eventually(async () => expect(await details()).toMatch(/, 1 generation/));
    await resetRun(world.client, handle.workflowId, 1);
    const again: Generation = world.client.workflow.getHandle(handle.workflowId);
    await world.until(again, 'reconciling');
    const checks = async (): Promise<number> => {
      const { events } = await entity().handle.fetchHistory();
      return (events ?? []).filter(
        ({ activityTaskScheduledEventAttributes: scheduled }) =>
          scheduled?.activityType?.name === 'checkClaims',
      ).length;
    };
    const before = await checks();
    await eventually(async () => expect(await checks()).toBeGreaterThan(before + 2));
    expect(await details()).toMatch(/, 1 generation/);
    const [taskId = ''] = world.bought(handle);
    await announce(taskId, {}, { prompt });
    expect((await again.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
  });

  it('does not keep the claim of a run that was deleted', async () => {
    await announce('keeps-it-running', { claimCheck: 200, entryLife: 4_000, formerLife: 1_000 });
    world.fault({ on: 'submit', match: { promptIncludes: 'left alone' }, fault: { kind: 'lost-before' } });
    const handle = await world.start({ model: 'image-l', input: { prompt: 'left alone' }, policy: FAST });
    await world.until(handle, 'reconciling');
    await deleteRun(handle);
    await eventually(async () => expect((await entity().handle.describe()).status.name).toBe('COMPLETED'));
  });

  it('are kept whatever anybody sends: what is no message is counted and left alone', async () => {
    await announce('first', { entryLife: 60_000 });
    const { id, handle } = entity();
    const nonsense: unknown[] = [
      undefined,
      null,
      0,
      'x',
      [],
      {},
      { tasks: 7 },
      { tasks: [null, { taskId: {} }, { taskId: 'a', arrivedAt: 'now', fields: {} }] },
      { task: { taskId: 't', input: [], receivedAt: 1 } },
      { tasks: [{ taskId: 'x'.repeat(10_000), arrivedAt: 1, fields: {} }] },
      { claimId: 'a', workflowId: 'b', runId: 'c', model: 'd', fields: { prompt: 1 }, since: 1 },
    ];
    for (const message of nonsense) {
      await handle.signal('taskCreated', message);
      await handle.signal('claimRequested', message);
      await handle.signal('eventsHeldUp', message);
    }
    for (const [encoding, data] of [
      ['json/plain', '{'],
      ['of/another', 'x'],
      ['', ''],
    ] as const) {
      const payload = { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) };
      await world.client.workflowService.signalWorkflowExecution({
        namespace: world.config.temporal.namespace,
        workflowExecution: { workflowId: id },
        signalName: 'claimRequested',
        input: { payloads: [payload] },
      });
    }
    for (const withdrawals of [undefined, {}, [null], [{ claimId: 'a' }], [{ claimId: 'a', as: 'guess' }]]) {
      await expect(handle.executeUpdate('withdrawClaims', { args: [withdrawals] })).rejects.toThrow(
        /Update failed/,
      );
    }
    await announce('last', {});
    await eventually(async () => {
      expect(await details()).toMatch(/^2 task/);
      expect(await details()).toMatch(/\b2[0-9] message\(s\) could not be understood/);
    });
  });
});
