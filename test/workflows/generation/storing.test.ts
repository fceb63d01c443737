import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Progress } from '../../../src/contract/generation.ts';
import { DarkroomState } from '../../../src/contract/search-attributes.ts';
import { AT_FILES } from '../../../src/contract/tasks/task-look.ts';
import { eventually, FAST, type Generation, image, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(async () => {
  await world.close();
});

const slowly = (prompt: string, wait: string) => image(prompt, { ...FAST, outputs: { wait } });

describe.concurrent('the files of a completed task', () => {
  it.each([403, 404, 500])('that answer %d for a while are stored when they are there', async (status) => {
    const match = { promptIncludes: `behind ${status}` };
    world.fault({ on: 'file', match, times: 3, fault: { kind: 'expired', status } });
    const handle = await world.start(image(`behind ${status}`));
    const { outputs, charged } = await handle.result();
    expect(outputs).toMatchObject([{ stored: { bytes: expect.any(Number) } }]);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
    expect(charged.total).toBeGreaterThan(0);
  });

  it('that are not there for longer than the policy waits fail the run, and nothing is bought again', async () => {
    world.fault({ on: 'file', match: { promptIncludes: 'never there' }, fault: { kind: 'expired' } });
    const handle = await world.start(slowly('never there', '1s'));
    const failure = await world.failureOf(handle);
    expect(failure).toMatchObject({ type: 'OUTPUT_UNAVAILABLE', message: expect.stringContaining('403') });
    expect(failure.message).toContain('/files/');
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('that are gone with the fresh record as well fail the run, and nothing is bought again', async () => {
    const match = { promptIncludes: 'gone twice' };
    world.fault({ on: 'file', match, times: 2, fault: { kind: 'expired', status: 410 } });
    const handle = await world.start(image('gone twice'));
    expect(await world.failureOf(handle)).toMatchObject({ type: 'OUTPUT_UNAVAILABLE' });
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('are shown while they are held up, and tried at once by checkNow', async () => {
    const match = { promptIncludes: 'held up' };
    world.fault({ on: 'file', id: 'held up', match, fault: { kind: 'expired', status: 404 } });
    const handle = await world.start(image('held up'));
    const { trouble } = await world.until(handle, 'storing');
    expect(trouble).toContain('404');
    expect(await world.details(handle)).toContain('/files/');
    await eventually(async () =>
      expect((await handle.describe()).typedSearchAttributes.get(DarkroomState)).toBe('storing is held up'),
    );
    world.emulator.service().faults.remove('held up');
    await handle.executeUpdate('checkNow').catch(() => undefined); // it may have tried by itself just now
    expect((await handle.result()).status).toBe('COMPLETED');
    expect((await handle.describe()).typedSearchAttributes.get(DarkroomState)).toBeUndefined();
  });
});

/**
 * What is left of a look whose worker is lost: heartbeats stop, and the last one is all that is known. An activity can
 * throw no time-out but as a cause.
 */
const lostWorker = (lastHeartbeat?: string): ApplicationFailure =>
  ApplicationFailure.create({
    message: 'activity Heartbeat timeout',
    nonRetryable: true,
    cause: new TimeoutFailure('activity Heartbeat timeout', lastHeartbeat, 'HEARTBEAT'),
  });

it('workers that are lost before they touch a file do not count against it', async () => {
  let lost = 0;
  const unlucky = await openWorld({
    activities: (activities) => ({
      ...activities,
      async lookAtTask(request) {
        if (request.storeWithin !== undefined)
          return await activities.lookAtTask({ ...request, storeWithin: 0 });
        lost += 1;
        if (lost > 3) return await activities.lookAtTask(request);
        throw lostWorker();
      },
    }),
  });
  try {
    expect((await unlucky.generate(image('unlucky'))).outputs).toHaveLength(1);
    expect(lost).toBe(4);
  } finally {
    await unlucky.close();
  }
});

it('a file that ends every worker that touches it is left alone after two of them, until a person says so', async () => {
  let deaths = 0;
  let isPoison = true;
  const poisoned = await openWorld({
    activities: (activities) => ({
      ...activities,
      async lookAtTask(request) {
        if (request.storeWithin === 0 || !isPoison) return await activities.lookAtTask(request);
        if (request.storeWithin !== undefined)
          return await activities.lookAtTask({ ...request, storeWithin: 0 });
        deaths += 1;
        throw lostWorker(AT_FILES);
      },
    }),
  });
  try {
    const handle = await poisoned.start(image('poison'));
    const words = 'has ended 2 workers';
    await eventually(async () => expect((await handle.query<Progress>('progress')).trouble).toContain(words));
    expect(await poisoned.details(handle)).toContain(words);
    expect((await handle.describe()).typedSearchAttributes.get(DarkroomState)).toBe('storing is held up');
    expect(deaths).toBe(2);
    // Nothing but a person wakes it.
    const { events } = await handle.fetchHistory();
    const timers = (events ?? []).filter((event) => event.timerStartedEventAttributes).length;
    const over = (events ?? []).filter(
      (event) => event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes,
    ).length;
    expect(timers).toBe(over);
    isPoison = false;
    await handle.executeUpdate('checkNow');
    await expect(handle.result()).resolves.toMatchObject({ status: 'COMPLETED' });
    expect(poisoned.charges(handle.workflowId)).toHaveLength(1);
  } finally {
    await poisoned.close();
  }
});

it('files that no worker has a place for are stored when one has, however long that takes', async () => {
  let busyUntil = Infinity;
  let looks = 0;
  const busy = await openWorld({
    activities: (activities) => ({
      ...activities,
      async lookAtTask(request) {
        const found = await activities.lookAtTask({ ...request, storeWithin: 0 });
        if (found.kind !== 'completed') return found;
        looks += 1;
        if (looks === 1) busyUntil = Date.now() + 1_000;
        // For longer than the policy waits, and over several looks, however long one takes.
        if (Date.now() > busyUntil && looks > 2 && request.storeWithin === undefined)
          return await activities.lookAtTask(request);
        return { ...found, files: { kind: 'delayed', reason: 'busy', url: null, untried: true } };
      },
    }),
  });
  try {
    const handle = await busy.start(slowly('no place', '300ms'));
    await expect(handle.result()).resolves.toMatchObject({ status: 'COMPLETED' });
    expect(looks).toBeGreaterThan(2);
  } finally {
    await busy.close();
  }
});

describe('storing costs', () => {
  /** The activities that stand in its history as events of their own. */
  async function activitiesOf(handle: Generation): Promise<string[]> {
    await handle.result();
    const { events } = await handle.fetchHistory();
    return (events ?? []).flatMap(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
    );
  }

  it('no event of its own where the files are small', async () => {
    expect(await activitiesOf(await world.start(image('small')))).toEqual(['submitTask']);
  });

  it('one where another worker had the run before: it may have died over the files', async () => {
    const release = world.hold('taken over');
    const handle = await world.start(image('taken over'));
    await world.until(handle, 'waiting');
    await world.stopWorker();
    await world.startWorker();
    await world.until(handle, 'waiting');
    release();
    expect(await activitiesOf(handle)).toEqual(['submitTask', 'lookAtTask']);
  });
});
