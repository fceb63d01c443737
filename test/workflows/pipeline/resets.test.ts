import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PipelineProgress, PipelineResult } from '../../../src/contract/pipeline.ts';
import { deleteRuns } from '../../delete-run.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, openWorld, type World } from '../world.ts';
import {
  chargesBelow,
  creditsBelow,
  failTasks,
  finishTask,
  large,
  latest,
  retryWith,
  still,
} from './steps.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe.concurrent('a Reset of a pipeline', () => {
  it('takes over what is completed and what still runs, and buys nothing', async () => {
    const release = world.hold('taken over');
    const handle = await world.pipeline({
      policy: FAST,
      steps: { quick: still('at once'), slow: still('taken over'), last: large({ $from: 'slow' }) },
    });
    await eventually(() => expect(chargesBelow(world, handle.workflowId)).toHaveLength(2));
    await resetRun(world.client, handle.workflowId);
    release();
    const again = latest(world, handle.workflowId);
    expect((await again.result()).status).toBe('COMPLETED');
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(3);
    await resetRun(world.client, handle.workflowId);
    expect((await again.result()).status).toBe('COMPLETED');
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(3);
  });

  it('buys a failed step again, and nothing else', async () => {
    world.fault({
      on: 'task',
      match: { promptIncludes: 'once bad' },
      times: 1,
      fault: { kind: 'fail', code: 'INVALID_INPUT' },
    });
    const handle = await world.pipeline({
      policy: FAST,
      steps: { good: still('all good'), bad: still('once bad') },
    });
    await world.failureOf(handle);
    await resetRun(world.client, handle.workflowId);
    const again = latest(world, handle.workflowId);
    expect((await again.result()).status).toBe('COMPLETED');
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(3);
  });

  it('follows what it has taken over through a Reset of that', async () => {
    const release = world.hold('reset both');
    const handle = await world.pipeline({ policy: FAST, steps: { only: still('reset both') } });
    const child = world.client.workflow.getHandle(`${handle.workflowId}/only`);
    await eventually(() => world.until(child, 'waiting'));
    await resetRun(world.client, handle.workflowId);
    const again = latest(world, handle.workflowId);
    await eventually(async () =>
      expect((await again.describe()).raw.pendingActivities).toMatchObject([
        { activityType: { name: 'lookAtGeneration' } },
      ]),
    );
    await resetRun(world.client, child.workflowId);
    release();
    expect((await again.result()).status).toBe('COMPLETED');
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(1);
  });

  it('goes on where a generation has ended between two Resets of the same run', async () => {
    const release = world.hold('ended between');
    const steps = { only: still('ended between'), last: large({ $from: 'only' }) };
    const handle = await world.pipeline({ policy: FAST, steps });
    const child = world.client.workflow.getHandle(`${handle.workflowId}/only`);
    await eventually(() => world.until(child, 'waiting'));
    const { runId } = await handle.describe();
    await resetRun(world.client, handle.workflowId, 1, runId);
    release();
    // Temporal tells the first Reset's run of it.
    expect((await latest(world, handle.workflowId).result()).status).toBe('COMPLETED');
    await resetRun(world.client, handle.workflowId, 1, runId);
    expect((await latest(world, handle.workflowId).result()).status).toBe('COMPLETED');
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(2);
  });

  it('follows a generation that runs on after two Resets of the same run', async () => {
    const release = world.hold('runs on');
    const handle = await world.pipeline({ policy: FAST, steps: { only: still('runs on') } });
    const child = world.client.workflow.getHandle(`${handle.workflowId}/only`);
    await eventually(() => world.until(child, 'waiting'));
    const { runId } = await handle.describe();
    await resetRun(world.client, handle.workflowId, 1, runId);
    await resetRun(world.client, handle.workflowId, 1, runId);
    const looks = async () => {
      const events = (await latest(world, handle.workflowId).fetchHistory()).events ?? [];
      const asked = events.filter(
        ({ activityTaskScheduledEventAttributes: one }) => one?.activityType?.name === 'lookAtGeneration',
      );
      const places = new Set(asked.map(({ eventId }) => String(eventId)));
      return events.filter(({ activityTaskCompletedEventAttributes: one }) =>
        places.has(String(one?.scheduledEventId)),
      ).length;
    };
    await eventually(async () => expect(await looks()).toBe(1));
    release();
    expect((await latest(world, handle.workflowId).result()).status).toBe('COMPLETED');
    expect(await looks()).toBe(1);
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(1);
  });

  it('follows what it has bought where the pipeline that it reuses is gone, and fails only what it would buy', async () => {
    const budget = { credits: 100 };
    const first = await world.pipeline({ policy: FAST, steps: { a: still('in the source') }, budget });
    await first.result();
    const release = world.hold('bought by itself');
    const handle = await world.pipeline({
      policy: FAST,
      steps: { b: still('bought by itself'), c: large({ $from: 'b' }) },
      reuse: first.workflowId,
      budget: { ...budget, of: first.workflowId },
    });
    await eventually(() => expect(chargesBelow(world, handle.workflowId)).toHaveLength(1));
    await deleteRuns(world.client, `${first.workflowId}/a`);
    await deleteRuns(world.client, first.workflowId);
    await resetRun(world.client, handle.workflowId);
    release();
    const { details } = await world.failureOf<PipelineResult>(latest(world, handle.workflowId));
    const message = expect.stringContaining('is no workflow that the server still has') as unknown;
    expect(details).toMatchObject({
      steps: {
        b: { status: 'COMPLETED' },
        c: { status: 'FAILED', failure: { type: 'INVALID_REQUEST', message } },
      },
      charged: { total: 8 },
    });
    expect(creditsBelow(world, handle.workflowId)).toBe(8);
  });

  it('takes what it has bought itself, also where the pipeline that it reuses has bought it since', async () => {
    failTasks(world, 'bought by both', 1);
    const steps = { a: still('bought by both'), b: large({ $from: 'a' }) };
    const first = await world.pipeline({ policy: FAST, steps });
    await world.failureOf(first);
    const { workflowId } = await world.pipeline({ policy: FAST, steps, reuse: first.workflowId });
    await latest(world, workflowId).result();
    const bought = chargesBelow(world, workflowId);
    const waiting = { ...steps, b: { ...steps.b, approve: true } };
    const again = await world.pipeline({ policy: FAST, steps: waiting }, first.workflowId);
    await eventually(() => expect(chargesBelow(world, first.workflowId)).toHaveLength(2));
    await eventually(async () => {
      const { steps: now } = await again.query<PipelineProgress>('progress');
      expect(now['b']?.status).toBe('approval');
    });
    await resetRun(world.client, workflowId);
    expect(await latest(world, workflowId).result()).toMatchObject({ status: 'COMPLETED' });
    expect(chargesBelow(world, workflowId)).toEqual(bought);
    await again.terminate();
  });

  it('is as strict as the first run where that was refused: nothing was bought', async () => {
    const steps = {
      a: still('not to be bought'),
      b: { model: 'image-l', input: { prompt: 'wrong', sed: 1 } },
    };
    const id = `pipeline/${randomUUID()}`;
    for (const _ of [1, 2]) {
      const { type } = await world.failureOf(await world.pipeline({ policy: FAST, steps }, id));
      expect([type, chargesBelow(world, id)]).toEqual(['INVALID_REQUEST', []]);
    }
  });

  it('fails a step whose id is in use for something else, and nothing more', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'still at it' }, fault: { kind: 'hang' } });
    const first = await world.pipeline({ policy: FAST, steps: { a: still('still at it') } });
    await eventually(() => expect(chargesBelow(world, first.workflowId)).toHaveLength(1));
    await first.terminate();
    const steps = { a: still('something else'), b: still('beside it') };
    const next = await world.pipeline({ policy: FAST, steps }, first.workflowId);
    const { type, details } = await world.failureOf<PipelineResult>(next);
    expect(type).toBe('PIPELINE_FAILED');
    expect(details.steps).toMatchObject({
      a: { status: 'FAILED', failure: { type: 'INVALID_REQUEST', details: { attempts: [] } } },
      b: { status: 'COMPLETED' },
    });
  });

  it('passes a cancellation on to what it has taken over', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'cancelled later' }, fault: { kind: 'hang' } });
    const handle = await world.pipeline({ policy: FAST, steps: { only: still('cancelled later') } });
    const child = world.client.workflow.getHandle(`${handle.workflowId}/only`);
    await eventually(() => world.until(child, 'waiting'));
    await resetRun(world.client, handle.workflowId);
    const again = world.client.workflow.getHandle(handle.workflowId);
    await eventually(async () =>
      expect((await again.describe()).raw.pendingActivities).toMatchObject([
        { activityType: { name: 'lookAtGeneration' } },
      ]),
    );
    await again.cancel();
    for (const run of [child, again]) {
      await eventually(async () => expect((await run.describe()).status.name).toBe('CANCELLED'));
    }
  });

  it('is not needed after a termination: the same pipeline started again takes over its children', async () => {
    const release = world.hold('orphan');
    const request = { policy: FAST, steps: { a: still('orphan'), b: large({ $from: 'a' }) } };
    const handle = await world.pipeline(request);
    await eventually(() => expect(chargesBelow(world, handle.workflowId)).toHaveLength(1));
    await handle.terminate();
    const next = await world.pipeline(request, handle.workflowId);
    release();
    expect((await next.result()).status).toBe('COMPLETED');
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(2);
  });

  /** A pipeline in which the first item of a fan-out fails once. */
  async function withLateItem(more: Record<string, ReturnType<typeof large>>) {
    const id = `pipeline/${randomUUID()}`;
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match: { workflowIncludes: `${id}/half/0` }, times: 1, fault });
    const steps = { pair: still(`late item of ${id}`, 2), half: large({ $each: 'pair' }), ...more };
    return await world.pipeline({ policy: FAST, steps }, id);
  }

  it('leaves a follower that runs with the output that its index meant when it was started', async () => {
    const id = `pipeline/${randomUUID()}`;
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match: { workflowIncludes: `${id}/half/0` }, times: 1, fault });
    world.fault({ on: 'task', match: { workflowIncludes: `${id}/one` }, fault: { kind: 'hang' } });
    const steps = {
      pair: still('an index that comes to mean something else', 2),
      half: large({ $each: 'pair' }),
      one: large({ $from: 'half' }),
    };
    await world.pipeline({ policy: FAST, steps }, id);
    await eventually(() => expect(world.charges(`${id}/one`)).toHaveLength(1));
    await resetRun(world.client, id);
    await eventually(() => expect(world.charges(`${id}/half/0`)).toHaveLength(2));
    const [one] = world.charges(`${id}/one`);
    await finishTask(world, one?.taskId);
    const result = await latest(world, id).result();
    expect(result.status).toBe('COMPLETED');
    expect(world.charges(`${id}/one`)).toHaveLength(1);
  });

  it('leaves a completed follower as it is, too, and buys nothing for it again', async () => {
    const handle = await withLateItem({ one: large({ $from: 'half' }) });
    await world.failureOf(handle);
    await resetRun(world.client, handle.workflowId);
    expect((await latest(world, handle.workflowId).result()).status).toBe('COMPLETED');
    expect(world.charges(`${handle.workflowId}/one`)).toHaveLength(1);
  });

  it('gives the items of a fan-out that were started before the outputs they were started for', async () => {
    const handle = await withLateItem({ each: large({ $each: 'half' }) });
    await world.failureOf(handle);
    const [before] = world.bought({ workflowId: `${handle.workflowId}/each/0` });
    await resetRun(world.client, handle.workflowId);
    const { status, steps } = await latest(world, handle.workflowId).result();
    expect(status).toBe('COMPLETED');
    expect(steps['each']).toMatchObject({ items: [{ result: { taskId: before } }, { status: 'COMPLETED' }] });
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(6);
    const sources = ['each/0', 'each/1'].map((path) => {
      const [taskId = ''] = world.bought({ workflowId: `${handle.workflowId}/${path}` });
      return world.emulator.service().tasks.get(taskId)?.input['image_url'];
    });
    expect(new Set(sources).size).toBe(2);
  });

  it('buys a follower again whose source was bought again', async () => {
    const steps = { a: still('bought twice'), b: large({ $from: 'a' }) };
    const handle = await world.pipeline({ policy: FAST, steps });
    await handle.result();
    const source = world.client.workflow.getHandle(`${handle.workflowId}/a`);
    const changed = { ...steps, a: still('bought twice, changed') };
    const next = await world.pipeline({ policy: FAST, steps: changed }, handle.workflowId);
    expect((await next.result()).status).toBe('COMPLETED');
    expect(world.charges(source.workflowId)).toHaveLength(2);
    expect(world.charges(`${handle.workflowId}/b`)).toHaveLength(2);
  });

  it('does not mistake a follower with another index for the one that is asked for', async () => {
    const steps = (output: number) => ({
      pair: still('another index', 2),
      one: large({ $from: 'pair', output }),
    });
    const handle = await world.pipeline({ policy: FAST, steps: steps(0) });
    await handle.result();
    const next = await world.pipeline({ policy: FAST, steps: steps(1) }, handle.workflowId);
    expect((await next.result()).status).toBe('COMPLETED');
    expect(world.charges(`${handle.workflowId}/one`)).toHaveLength(2);
  });

  it('takes over what a held step has bought with the input that a person gave it, and buys neither again', async () => {
    failTasks(world, 'a first input', 9);
    failTasks(world, 'a second input', 9);
    const steps = {
      shaky: { ...still('a first input'), onFailure: 'hold' as const },
      after: large({ $from: 'shaky' }),
    };
    const handle = await world.pipeline({ policy: FAST, steps });
    await retryWith(world, handle, 'shaky', { prompt: 'a second input' });
    await retryWith(world, handle, 'shaky', { prompt: 'a third input' });
    const { status, steps: made } = await handle.result();
    expect(status).toBe('COMPLETED');
    const bought = chargesBelow(world, handle.workflowId);
    expect(bought).toHaveLength(4);
    for (const point of [0, 0.5, 0]) {
      await resetRun(world.client, handle.workflowId, point);
      const again = await latest(world, handle.workflowId).result();
      expect(again).toMatchObject({ status: 'COMPLETED', charged: { total: 0 } });
      expect(again.steps).toEqual(made);
    }
    expect(chargesBelow(world, handle.workflowId)).toEqual(bought);
    expect(world.charges(`${handle.workflowId}/shaky`)).toHaveLength(1);
  });

  it('takes over the items of a held fan-out, each as it was bought last', async () => {
    const id = `pipeline/${randomUUID()}`;
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match: { workflowIncludes: `${id}/city/1` }, times: 1, fault });
    const prompt = { $each: { $param: 'cities' } };
    const city = { model: 'image-l', input: { prompt }, onFailure: 'hold' as const };
    const params = { cities: ['Oslo', 'Rome'] };
    const handle = await world.pipeline({ policy: FAST, params, steps: { city } }, id);
    await retryWith(world, handle, 'city', { prompt, n: 2 });
    expect((await handle.result()).status).toBe('COMPLETED');
    const bought = chargesBelow(world, id);
    expect(bought).toHaveLength(3);
    await resetRun(world.client, id);
    expect((await latest(world, id).result()).status).toBe('COMPLETED');
    expect(chargesBelow(world, id)).toEqual(bought);
  });
});
