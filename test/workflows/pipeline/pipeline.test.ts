import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rerunWith } from '../../../src/client/starting/rerun.ts';
import type { FailureDetails } from '../../../src/contract/generation.ts';
import type { PipelineResult, StepItem, StepResult } from '../../../src/contract/pipeline.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, image, openWorld, type World } from '../world.ts';
import { chargesBelow, finishTask, hangTasks, large, latest, still } from './steps.ts';

/** The items of a fan-out, all of which have completed. */
function itemsOf(step: StepResult | undefined): Extract<StepItem, { status: 'COMPLETED' }>[] {
  const items = step !== undefined && 'items' in step ? step.items : [];
  return items.filter((item) => item.status === 'COMPLETED');
}

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe.concurrent('a pipeline', () => {
  it('feeds each step the outputs of others, each bought once by a child of its own', async () => {
    const handle = await world.pipeline({
      policy: FAST,
      steps: {
        still: still('a lighthouse at dawn'),
        large: large({ $from: 'still' }),
        clip: {
          model: 'video-f',
          input: { prompt: 'slow zoom', first_frame_url: { $from: 'large', output: 0 }, duration: 2 },
        },
      },
    });
    const result = await handle.result();
    expect(result.status).toBe('COMPLETED');
    expect(Object.entries(result.steps).map(([name, step]) => [name, step.status, step.workflowId])).toEqual(
      ['still', 'large', 'clip'].map((name) => [name, 'COMPLETED', `${handle.workflowId}/${name}`]),
    );
    const charges = world.emulator.service().ledger.charges();
    const below = charges.filter(({ workflow }) => workflow?.startsWith(handle.workflowId));
    expect(below).toHaveLength(3);
    expect(result.usage.total).toBe(below.reduce((sum, { credits }) => sum + credits, 0));
    const { still: first, large: second } = result.steps;
    if (
      first?.status !== 'COMPLETED' ||
      second?.status !== 'COMPLETED' ||
      !('result' in first) ||
      !('result' in second)
    ) {
      throw new Error('two steps with results');
    }
    const task = world.emulator.service().tasks.get(second.result.taskId);
    expect(task?.input['image_url']).toBe(first.result.outputs[0]?.url);
  });

  it('fans a step out over all outputs of another, and counts through them', async () => {
    const handle = await world.pipeline({
      policy: FAST,
      steps: {
        stills: { model: 'image-l', input: { prompt: 'three views', n: 3 } },
        each: large({ $each: 'stills' }),
        third: large({ $from: 'each', output: 2 }),
      },
    });
    const { steps } = await handle.result();
    expect(steps['each']).toMatchObject({
      status: 'COMPLETED',
      workflowId: null,
      items: [0, 1, 2].map((index) => ({
        status: 'COMPLETED',
        workflowId: `${handle.workflowId}/each/${index}`,
      })),
    });
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(5);
  });

  it('fans out within a fan-out: over the outputs of each of its items, in order', async () => {
    const scenes = ['a quay at dawn', 'a quay at night'];
    const handle = await world.pipeline({
      policy: FAST,
      params: { scenes },
      steps: {
        stills: { model: 'image-l', input: { prompt: { $each: { $param: 'scenes' } }, n: 2 } },
        larger: large({ $each: 'stills' }),
        largest: large({ $each: 'larger' }),
      },
    });
    const { steps, status } = await handle.result();
    expect(status).toBe('COMPLETED');
    const filesOf = (name: string): (string | undefined)[] =>
      itemsOf(steps[name]).flatMap(({ result }) => result.outputs.map(({ url }) => url));
    const sourcesOf = (name: string): unknown[] =>
      itemsOf(steps[name]).map(
        ({ result }) => world.emulator.service().tasks.get(result.taskId)?.input['image_url'],
      );
    expect(filesOf('stills')).toHaveLength(4);
    expect(sourcesOf('larger')).toEqual(filesOf('stills'));
    expect(sourcesOf('largest')).toEqual(filesOf('larger'));
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(10);
  });

  it('skips what depends on a failed step, and nothing else', async () => {
    world.fault({
      on: 'task',
      match: { promptIncludes: 'broken' },
      fault: { kind: 'fail', code: 'INVALID_INPUT' },
    });
    const request = {
      policy: FAST,
      steps: {
        bad: still('broken'),
        after: large({ $from: 'bad' }),
        good: still('unharmed'),
        last: large({ $from: 'good' }),
      },
    };
    const partial = await (await world.pipeline({ ...request, allowPartial: true })).result();
    expect(partial.status).toBe('PARTIAL');
    expect(partial.steps).toMatchObject({
      bad: {
        status: 'FAILED',
        failure: { type: 'IMAGE_GENERATION_INVALID_INPUT', details: { attempts: [{ outcome: 'failed' }] } },
      },
      after: { status: 'SKIPPED' },
      good: { status: 'COMPLETED' },
      last: { status: 'COMPLETED' },
    });
    const failure = await world.failureOf<PipelineResult>(await world.pipeline(request));
    expect(failure.type).toBe('PIPELINE_FAILED');
    expect(failure.details).toMatchObject({ status: 'PARTIAL', steps: { good: { status: 'COMPLETED' } } });
  });

  it('goes on with what a fan-out has made, and says which output is missing', async () => {
    const handle = await world.pipeline({
      policy: FAST,
      steps: {
        pair: still('only half', 2),
        half: large({ $each: 'pair' }),
        one: large({ $from: 'half' }),
        two: large({ $from: 'half', output: 1 }),
      },
    });
    world.fault({
      on: 'task',
      match: { workflowIncludes: `${handle.workflowId}/half/1` },
      fault: { kind: 'fail', code: 'INVALID_INPUT' },
    });
    const { details } = await world.failureOf<PipelineResult>(handle);
    expect(details.steps).toMatchObject({
      half: { status: 'PARTIAL', items: [{ status: 'COMPLETED' }, { status: 'FAILED' }] },
      one: { status: 'COMPLETED' },
      two: { status: 'SKIPPED', failure: { message: expect.stringContaining('there is no output 1') } },
    });
  });

  it.each([
    ['a cycle', { a: large({ $from: 'b' }), b: large({ $from: 'a' }) }, 'steps.a'],
    ['an unknown step', { a: large({ $from: 'nowhere' }) }, 'steps.a.input.image_url'],
    [
      'an output out of range',
      { a: still('x'), b: large({ $from: 'a', output: 1 }) },
      'steps.b.input.image_url',
    ],
    ['an unknown model', { a: still('x'), b: { model: 'upscale-x', input: {} } }, 'steps.b.model'],
    [
      'a bad field',
      {
        a: still('x'),
        b: { model: 'video-f', input: { prompt: 'x', first_frame_url: { $from: 'a' }, duration: -1 } },
      },
      'steps.b.input.duration',
    ],
    ['no steps', {}, 'steps'],
  ])('with %s is refused before anything is bought', async (_, steps, path) => {
    const handle = await world.pipeline({ steps, policy: FAST });
    const failure = await world.failureOf<FailureDetails>(handle);
    expect(failure.type).toBe('INVALID_REQUEST');
    expect(failure.details.errors?.map((error) => error.path)).toContain(path);
    expect(chargesBelow(world, handle.workflowId)).toEqual([]);
  });

  it('tells all that is wrong at once, with one entry a field', async () => {
    const handle = await world.pipeline({
      steps: {
        first: still('fine'),
        shapeless: 5 as never, // wrong on purpose, as are the others
        nowhere: large({ $from: 'gone' }),
        onward: large({ $from: 'shapeless' }),
        between: large({ $from: 'first', output: -1 }),
        misplaced: { model: 'image-l', input: { prompt: 'x', n: { $from: 'first' } } },
        strange: { model: 'image-z', input: {} },
      },
    });
    const { details } = await world.failureOf<FailureDetails>(handle);
    expect(details.errors?.map(({ path }) => path).sort()).toEqual([
      'steps.between.input.image_url',
      'steps.misplaced.input.n',
      'steps.nowhere.input.image_url',
      'steps.shapeless',
      'steps.strange.model',
    ]);
    expect(details.errors?.find(({ path }) => path.endsWith('.n'))?.message).toContain('a reference');
  });

  const fannedOut = (over: string) => ({
    model: 'image-l',
    input: { prompt: 'x', n: 4, image_urls: [{ $each: over }] },
  });
  const nested = Array.from({ length: 1_000 }).reduce((inner) => ({ inner }), {});

  it.each([
    [
      'more steps than a run can hold',
      Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`s${index}`, still('x')])),
      'steps',
    ],
    [
      'a fan-out of fan-outs that grows beyond that',
      {
        a: still('x', 4),
        b: fannedOut('a'),
        c: fannedOut('b'),
        d: fannedOut('c'),
        e: fannedOut('d'),
        f: fannedOut('e'),
      },
      'steps',
    ],
    ['input without a bottom', { a: { model: 'image-l', input: { prompt: nested } } }, 'steps.a.input'],
  ])('refuses %s', async (_, steps, path) => {
    const { type, details } = await world.failureOf<FailureDetails>(await world.pipeline({ steps }));
    expect(type).toBe('INVALID_REQUEST');
    expect(details.errors?.map((error) => error.path)).toEqual([path]);
  });

  it('goes on when somebody cancels one of its generations, as if that had failed', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'called off' }, fault: { kind: 'hang' } });
    const handle = await world.pipeline({
      policy: FAST,
      steps: { off: still('called off'), after: large({ $from: 'off' }), other: still('not concerned') },
    });
    const child = world.client.workflow.getHandle(`${handle.workflowId}/off`);
    await eventually(() => world.until(child, 'waiting'));
    await child.cancel();
    const { type, details } = await world.failureOf<PipelineResult>(handle);
    expect(type).toBe('PIPELINE_FAILED');
    expect(details.steps).toMatchObject({
      off: { status: 'FAILED', failure: { type: 'CancelledFailure' } },
      after: { status: 'SKIPPED' },
      other: { status: 'COMPLETED' },
    });
  });

  it('takes equal steps from the pipeline that it reuses, and buys the changed ones', async () => {
    const steps = (zoom: string) => ({
      still: still('reused'),
      clip: { model: 'video-g', input: { prompt: zoom, first_frame_url: { $from: 'still' } } },
    });
    const first = await world.pipeline({ policy: FAST, steps: steps('in') });
    await first.result();
    const second = await world.pipeline({ policy: FAST, steps: steps('out'), reuse: first.workflowId });
    const result = await second.result();
    expect(result.steps['still']).toMatchObject({ workflowId: `${first.workflowId}/still`, reused: true });
    expect(chargesBelow(world, second.workflowId)).toHaveLength(1);
    expect(result.usage.total).toBe(
      world.emulator.service().ledger.charges({ workflow: `${second.workflowId}/clip` })[0]?.credits,
    );
    const third = await world.pipeline({ policy: FAST, steps: steps('out'), reuse: second.workflowId });
    const again = await third.result();
    expect(again.steps['still']).toMatchObject({ workflowId: `${first.workflowId}/still`, reused: true });
    expect(again.usage.total).toBe(0);
    expect(chargesBelow(world, third.workflowId)).toEqual([]);
  });

  it('waits for an equal step of a terminated pipeline that still runs, through a Reset of it, and takes that', async () => {
    const release = world.hold('it runs on');
    const steps = { slow: still('it runs on'), after: large({ $from: 'slow' }) };
    const first = await world.pipeline({ policy: FAST, steps });
    const child = world.client.workflow.getHandle(`${first.workflowId}/slow`);
    await eventually(() => world.until(child, 'waiting'));
    await first.terminate();
    const second = await world.pipeline({ policy: FAST, steps, reuse: first.workflowId });
    await eventually(async () =>
      expect((await second.describe()).raw.pendingActivities).toMatchObject([
        { activityType: { name: 'findReusable' }, attempt: 2 },
      ]),
    );
    await resetRun(world.client, child.workflowId);
    release();
    expect(await second.result()).toMatchObject({
      status: 'COMPLETED',
      steps: { slow: { reused: true, workflowId: child.workflowId } },
    });
    expect(world.charges(child.workflowId)).toHaveLength(1);
    expect(chargesBelow(world, second.workflowId)).toHaveLength(1);
  });

  it('does not buy again what a cancelled pipeline may have paid for, and says how to take it over', async () => {
    hangTasks(world, 'cancelled and paid');
    const steps = { slow: still('cancelled and paid'), other: still('not concerned by it') };
    const first = await world.pipeline({ policy: FAST, steps: { slow: steps.slow } });
    const child = world.client.workflow.getHandle(`${first.workflowId}/slow`);
    await eventually(() => world.until(child, 'waiting'));
    await first.cancel();
    await eventually(async () => expect((await first.describe()).status.name).toBe('CANCELLED'));
    const second = await world.pipeline({ policy: FAST, steps, reuse: first.workflowId });
    const { message, details } = await world.failureOf<PipelineResult>(second);
    expect(message).toContain(`rerun ${child.workflowId}`);
    expect(details.steps).toMatchObject({ slow: { status: 'FAILED' }, other: { status: 'COMPLETED' } });
    expect(chargesBelow(world, second.workflowId)).toHaveLength(1);

    const [taskId] = world.bought(child);
    await finishTask(world, taskId);
    await rerunWith(world.client, child.workflowId, {});
    await resetRun(world.client, second.workflowId);
    expect((await latest(world, second.workflowId).result()).steps).toMatchObject({
      slow: { reused: true, result: { taskId } },
    });
    expect(world.bought(child)).toEqual([taskId]);
    expect(chargesBelow(world, second.workflowId)).toHaveLength(1);
  });

  it('takes an equal step from the pipeline that it reuses even where that has another name', async () => {
    const first = await world.pipeline({
      policy: FAST,
      steps: { two: still('renamed', 2), large: large({ $each: 'two' }) },
    });
    await first.result();
    const second = await world.pipeline({
      policy: FAST,
      reuse: first.workflowId,
      steps: { pair: still('renamed', 2), one: large({ $from: 'pair', output: 1 }) },
    });
    expect((await second.result()).steps).toMatchObject({
      pair: { workflowId: `${first.workflowId}/two`, reused: true },
      one: { workflowId: `${first.workflowId}/large/1`, reused: true },
    });
    expect(chargesBelow(world, second.workflowId)).toEqual([]);
  });

  it.each([
    [
      'a workflow that is not there',
      async () => 'pipeline/long-gone',
      '"pipeline/long-gone" is no workflow that the server still has',
    ],
    [
      'a generation',
      async () => {
        const generation = await world.start(image('no pipeline'));
        await generation.result();
        return generation.workflowId;
      },
      'is a workflow of type generation',
    ],
  ])('refuses to reuse %s, and buys nothing', async (_, earlier, reason) => {
    const reuse = await earlier();
    const handle = await world.pipeline({ policy: FAST, steps: { still: still('not reused') }, reuse });
    const { type, message, details } = await world.failureOf<FailureDetails>(handle);
    expect(type).toBe('INVALID_REQUEST');
    expect(message).toMatch(/^reuse must be /);
    expect(details.errors).toEqual([{ path: 'reuse', message: expect.stringContaining(reason) }]);
    expect(chargesBelow(world, handle.workflowId)).toEqual([]);
  });
});
