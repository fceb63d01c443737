import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FailureDetails } from '../../../src/contract/generation.ts';
import type { PipelineResult } from '../../../src/contract/pipeline.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, image, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const still = (prompt: string, n?: number) => ({
  model: 'image-l',
  input: { prompt, ...(n === undefined ? {} : { n }) },
});
const large = (reference: unknown) => ({ model: 'upscale-q', input: { image_url: reference } });

/** What everything below a pipeline was charged. */
function chargesBelow(pipelineId: string): string[] {
  return world.emulator
    .service()
    .ledger.charges()
    .filter(({ workflow }) => workflow?.startsWith(`${pipelineId}/`))
    .map(({ taskId }) => taskId);
}

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
    expect(chargesBelow(handle.workflowId)).toHaveLength(5);
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
    expect(chargesBelow(handle.workflowId)).toEqual([]);
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

  it('starts no step beyond its budget', async () => {
    const handle = await world.pipeline({
      policy: FAST,
      budget: { credits: 8 },
      allowPartial: true,
      steps: { a: still('in budget'), b: large({ $from: 'a' }) },
    });
    expect((await handle.result()).steps).toMatchObject({
      a: { status: 'COMPLETED' },
      b: { status: 'FAILED', failure: { type: 'BUDGET_EXCEEDED', details: { attempts: [] } } },
    });
  });

  it('gives each of the steps that run side by side all that was left when they started', async () => {
    const handle = await world.pipeline({
      policy: FAST,
      budget: { credits: 8 },
      allowPartial: true,
      steps: { a: still('side'), b: still('by side'), c: large({ $from: 'a' }) },
    });
    const { steps, usage } = await handle.result();
    expect(steps).toMatchObject({
      a: { status: 'COMPLETED' },
      b: { status: 'COMPLETED' },
      c: { status: 'FAILED', failure: { type: 'BUDGET_EXCEEDED' } },
    });
    expect(usage.total).toBe(16);
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
    expect(chargesBelow(second.workflowId)).toHaveLength(1);
    expect(result.usage.total).toBe(
      world.emulator.service().ledger.charges({ workflow: `${second.workflowId}/clip` })[0]?.credits,
    );
    const third = await world.pipeline({ policy: FAST, steps: steps('out'), reuse: second.workflowId });
    const again = await third.result();
    expect(again.steps['still']).toMatchObject({ workflowId: `${first.workflowId}/still`, reused: true });
    expect(again.usage.total).toBe(0);
    expect(chargesBelow(third.workflowId)).toEqual([]);
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
    expect(chargesBelow(second.workflowId)).toEqual([]);
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
    expect(chargesBelow(handle.workflowId)).toEqual([]);
  });
});

describe.concurrent('a Reset of a pipeline', () => {
  it('takes over what is completed and what still runs, and buys nothing', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'taken over' }, fault: { kind: 'slow', ms: 1_500 } });
    const handle = await world.pipeline({
      policy: FAST,
      steps: { quick: still('at once'), slow: still('taken over'), last: large({ $from: 'slow' }) },
    });
    await eventually(() => expect(chargesBelow(handle.workflowId)).toHaveLength(2));
    await resetRun(world.client, handle.workflowId);
    const again = world.client.workflow.getHandle<() => Promise<PipelineResult>>(handle.workflowId);
    expect((await again.result()).status).toBe('COMPLETED');
    expect(chargesBelow(handle.workflowId)).toHaveLength(3);
    await resetRun(world.client, handle.workflowId);
    expect((await again.result()).status).toBe('COMPLETED');
    expect(chargesBelow(handle.workflowId)).toHaveLength(3);
  });

  it('takes over what its budget would not pay for any more', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'paid last' }, fault: { kind: 'hang' } });
    const handle = await world.pipeline({
      policy: FAST,
      budget: { credits: 16 },
      steps: {
        dear: still('paid last'),
        first: still('paid first'),
        second: large({ $from: 'first' }),
        third: large({ $from: 'second' }),
      },
    });
    const third = world.client.workflow.getHandle(`${handle.workflowId}/third`);
    await eventually(() => third.describe());
    await third.result();
    const [dear] = world.charges(`${handle.workflowId}/dear`);
    await fetch(`${world.emulator.controlUrl}/tasks/${dear?.taskId}/finish`, { method: 'POST' });
    await handle.result();
    await resetRun(world.client, handle.workflowId);
    const again = world.client.workflow.getHandle<() => Promise<PipelineResult>>(handle.workflowId);
    expect((await again.result()).status).toBe('COMPLETED');
    expect(chargesBelow(handle.workflowId)).toHaveLength(4);
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
    const again = world.client.workflow.getHandle<() => Promise<PipelineResult>>(handle.workflowId);
    expect((await again.result()).status).toBe('COMPLETED');
    expect(chargesBelow(handle.workflowId)).toHaveLength(3);
  });

  it('follows what it has taken over through a Reset of that', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'reset both' }, fault: { kind: 'slow', ms: 4_000 } });
    const handle = await world.pipeline({ policy: FAST, steps: { only: still('reset both') } });
    const child = world.client.workflow.getHandle(`${handle.workflowId}/only`);
    await eventually(() => world.until(child, 'waiting'));
    await resetRun(world.client, handle.workflowId);
    const again = world.client.workflow.getHandle<() => Promise<PipelineResult>>(handle.workflowId);
    await eventually(async () =>
      expect((await again.describe()).raw.pendingActivities).toMatchObject([
        { activityType: { name: 'awaitGeneration' } },
      ]),
    );
    await resetRun(world.client, child.workflowId);
    expect((await again.result()).status).toBe('COMPLETED');
    expect(chargesBelow(handle.workflowId)).toHaveLength(1);
  });

  it('fails a step whose id is in use for something else, and nothing more', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'still at it' }, fault: { kind: 'hang' } });
    const first = await world.pipeline({ policy: FAST, steps: { a: still('still at it') } });
    await eventually(() => expect(chargesBelow(first.workflowId)).toHaveLength(1));
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
        { activityType: { name: 'awaitGeneration' } },
      ]),
    );
    await again.cancel();
    for (const run of [child, again]) {
      await eventually(async () => expect((await run.describe()).status.name).toBe('CANCELLED'));
    }
  });

  it('is not needed after a termination: the same pipeline started again takes over its children', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'orphan' }, fault: { kind: 'slow', ms: 1_000 } });
    const request = { policy: FAST, steps: { a: still('orphan'), b: large({ $from: 'a' }) } };
    const handle = await world.pipeline(request);
    await eventually(() => expect(chargesBelow(handle.workflowId)).toHaveLength(1));
    await handle.terminate();
    const next = await world.pipeline(request, handle.workflowId);
    expect((await next.result()).status).toBe('COMPLETED');
    expect(chargesBelow(handle.workflowId)).toHaveLength(2);
  });
});
