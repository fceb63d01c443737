import { WorkflowUpdateFailedError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/api/input/field-digests.ts';
import { ClientFiles } from '../../../src/client/files/client-files.ts';
import { planPipeline } from '../../../src/client/plan/plan-pipeline.ts';
import { PriceBook } from '../../../src/client/plan/price-book.ts';
import { rerunWith } from '../../../src/client/starting/rerun.ts';
import type {
  PipelineProgress,
  PipelineRequest,
  PipelineResult,
  StepProgress,
} from '../../../src/contract/pipeline.ts';
import { readLatestRun } from '../../../src/temporal/latest-run.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, openWorld, type World } from '../world.ts';
import { chargesBelow, creditsBelow, failTasks, idsOf, large, latest, retryWith, still } from './steps.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

type Handle = Pick<Awaited<ReturnType<World['pipeline']>>, 'workflowId' | 'query' | 'result'>;

const say = ({ workflowId }: Handle, update: 'approve' | 'reject' | 'resolve', said?: unknown) =>
  world.client.workflow
    .getHandle(workflowId)
    .executeUpdate<PipelineProgress, [unknown]>(update, { args: [said] });

async function until(handle: Handle, step: string, status: StepProgress['status']): Promise<StepProgress> {
  return await eventually(async () => {
    const { steps } = await handle.query<PipelineProgress>('progress');
    expect(steps[step]?.status).toBe(status);
    return steps[step] as StepProgress; // it has that status
  });
}

/** Why an update was refused. */
async function refusal(update: Promise<unknown>): Promise<string> {
  const error: unknown = await update.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkflowUpdateFailedError)) throw error;
  return error.cause?.message ?? '';
}

describe.concurrent('a step that waits for approval', () => {
  const gated = (prompt: string) => ({
    still: still(prompt),
    large: { ...large({ $from: 'still' }), approve: true },
    after: large({ $from: 'large' }),
  });

  it('is bought when somebody approves it, and not before', async () => {
    const handle = await world.pipeline({ policy: FAST, steps: gated('look before you buy') });
    expect(await refusal(say(handle, 'approve', { step: 'large' }))).toContain('does not wait for approval');
    expect(await until(handle, 'large', 'approval')).toMatchObject({
      note: expect.stringContaining('approve'),
    });
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(1);
    expect(await world.details(handle)).toContain('approval');
    const { searchAttributes } = await world.client.workflow.getHandle(handle.workflowId).describe();
    expect(searchAttributes['DarkroomState']).toEqual(['waiting for approval']);
    const { steps } = await say(handle, 'approve', { step: 'large' });
    expect(steps['large']?.status).not.toBe('approval');
    expect((await handle.result()).status).toBe('COMPLETED');
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(3);
  });

  it('takes the input of whoever approves it, references and all', async () => {
    const steps = {
      still: still('two of these', 2),
      other: still('another one'),
      clip: {
        model: 'video-g',
        input: { prompt: 'slow', first_frame_url: { $from: 'still' }, duration: 1 },
        approve: true,
      },
    };
    const handle = await world.pipeline({ policy: FAST, steps });
    await until(handle, 'clip', 'approval');
    const input = { prompt: 'fast', first_frame_url: { $from: 'other' }, duration: 1 };
    await say(handle, 'approve', { step: 'clip', input });
    const result = await handle.result();
    const [taskId = ''] = world.bought({ workflowId: `${handle.workflowId}/clip@${digestOf(input)}` });
    const { other } = result.steps;
    const url = other !== undefined && 'result' in other ? other.result.outputs[0]?.url : undefined;
    expect(world.emulator.service().tasks.get(taskId)?.input).toMatchObject({
      prompt: 'fast',
      first_frame_url: url,
    });
  });

  it('refuses an input that could not be bought, and goes on waiting', async () => {
    const handle = await world.pipeline({ policy: FAST, steps: gated('no nonsense') });
    await until(handle, 'large', 'approval');
    for (const [input, why] of [
      [{ image_url: { $from: 'nowhere' } }, 'is no step'],
      [{ image_url: { $from: 'after' } }, 'cycle'],
      [{ image_url: { $from: 'still', output: 1 } }, 'no output 1'],
      [{ picture: 'x' }, 'is not a field'],
      ['an image', 'must be an object'],
    ] as const) {
      expect(await refusal(say(handle, 'approve', { step: 'large', input }))).toContain(why);
    }
    for (const nonsense of [undefined, null, 5, {}, { step: 5 }, { step: 'toString' }, { step: 'still' }])
      expect(await refusal(say(handle, 'approve', nonsense))).toMatch(/step/);
    await until(handle, 'large', 'approval');
    await say(handle, 'approve', { step: 'large' });
    expect((await handle.result()).status).toBe('COMPLETED');
  });

  it('is skipped when somebody rejects it, and so is what depends on it', async () => {
    const handle = await world.pipeline({ policy: FAST, steps: gated('not this one') });
    await until(handle, 'large', 'approval');
    const withInput = say(handle, 'reject', { step: 'large', input: {} });
    expect(await refusal(withInput)).toContain('input goes with approve alone');
    await say(handle, 'reject', { step: 'large' });
    const { type, message, details } = await world.failureOf<PipelineResult>(handle);
    expect(type).toBe('PIPELINE_FAILED');
    expect(message).toContain('step large was skipped: a person has rejected it');
    expect(details.steps).toMatchObject({
      still: { status: 'COMPLETED' },
      large: { status: 'SKIPPED', workflowId: null },
      after: { status: 'SKIPPED' },
    });
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(1);
  });

  it('is cancelled with its pipeline', async () => {
    const handle = await world.pipeline({ policy: FAST, steps: gated('never mind') });
    await until(handle, 'large', 'approval');
    await handle.cancel();
    await eventually(async () => expect((await handle.describe()).status.name).toBe('CANCELLED'));
  });

  it('is asked about again after a Reset, until it is bought', async () => {
    const handle = await world.pipeline({ policy: FAST, steps: gated('asked twice') });
    await until(handle, 'large', 'approval');
    await resetRun(world.client, handle.workflowId);
    const again = latest(world, handle.workflowId);
    await until(again, 'large', 'approval');
    await say(again, 'approve', { step: 'large' });
    expect((await again.result()).status).toBe('COMPLETED');
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(3);
  });
});

describe.concurrent('what a person let be bought', () => {
  const again = {
    'a Reset': async ({ workflowId }: Handle) => {
      await resetRun(world.client, workflowId);
      return latest(world, workflowId);
    },
    'a start anew': ({ workflowId }: Handle, request: PipelineRequest) => world.pipeline(request, workflowId),
  };

  it.for([
    ['as it was', 'a start anew', { $from: 'still' }, undefined],
    ['with another input', 'a Reset', { $from: 'still' }, { $from: 'other' }],
    ['for each output', 'a Reset', { $each: 'still' }, undefined],
    ['for each output of another step', 'a start anew', { $each: 'still' }, { $each: 'other' }],
  ] as const)('%s is not asked about again by %s', async ([how, what, reference, instead]) => {
    const steps = {
      still: still(`bought ${how} before ${what}`, 2),
      other: still(`other, bought ${how} before ${what}`, 2),
      large: { ...large(reference), approve: true },
    };
    const request = { policy: FAST, steps };
    const handle = await world.pipeline(request);
    await until(handle, 'large', 'approval');
    const input = instead && { image_url: instead };
    await say(handle, 'approve', { step: 'large', input });
    const first = await handle.result();
    const bought = chargesBelow(world, handle.workflowId);
    const second = await (await again[what](handle, request)).result();
    expect(second.steps).toMatchObject({ large: first.steps['large'] });
    expect(chargesBelow(world, handle.workflowId)).toEqual(bought);
  });

  it('is asked about again where something new would be bought, with the input that was approved', async () => {
    failTasks(world, 'approved, in vain');
    const steps = { gated: { ...still('not approved yet'), approve: true } };
    const handle = await world.pipeline({ policy: FAST, steps });
    await until(handle, 'gated', 'approval');
    await say(handle, 'approve', { step: 'gated', input: { prompt: 'approved, in vain' } });
    await world.failureOf(handle);
    await resetRun(world.client, handle.workflowId);
    const run = latest(world, handle.workflowId);
    await until(run, 'gated', 'approval');
    await say(run, 'approve', { step: 'gated' });
    const made = { gated: { result: { data: { actual_prompt: 'approved, in vain' } } } };
    expect((await run.result()).steps).toMatchObject(made);
    const bought = chargesBelow(world, handle.workflowId);
    await resetRun(world.client, handle.workflowId);
    expect((await latest(world, handle.workflowId).result()).steps).toMatchObject(made);
    expect(chargesBelow(world, handle.workflowId)).toEqual(bought);
  });

  it('is taken over by a Reset to a point after the check, with the input that was approved', async () => {
    const steps = {
      still: still('a Reset in the middle'),
      other: still('another, in the middle'),
      large: { ...large({ $from: 'still' }), approve: true },
    };
    const handle = await world.pipeline({ policy: FAST, steps });
    await until(handle, 'large', 'approval');
    await say(handle, 'approve', { step: 'large', input: { image_url: { $from: 'other' } } });
    await handle.result();
    const bought = chargesBelow(world, handle.workflowId);
    const { runId } = await handle.describe();
    for (const point of [0.2, 0.4, 0.6, 0.8]) {
      await resetRun(world.client, handle.workflowId, point, runId);
      expect((await latest(world, handle.workflowId).result()).status).toBe('COMPLETED');
      expect(chargesBelow(world, handle.workflowId)).toEqual(bought);
    }
  });

  it('and what was given it after it had failed, is taken over by a Reset', async () => {
    failTasks(world, 'approved, and not good');
    const steps = { shaky: { ...still('not approved'), approve: true, onFailure: 'hold' as const } };
    const handle = await world.pipeline({ policy: FAST, steps });
    await until(handle, 'shaky', 'approval');
    await say(handle, 'approve', { step: 'shaky', input: { prompt: 'approved, and not good' } });
    await until(handle, 'shaky', 'held');
    await say(handle, 'resolve', { step: 'shaky', action: 'retry', input: { prompt: 'good' } });
    await handle.result();
    const bought = chargesBelow(world, handle.workflowId);
    // A Reset copies and repeats what the run before it was told: that is said once.
    for (const point of [0, 0.5, 0, 0.9, 0]) {
      await resetRun(world.client, handle.workflowId, point);
      expect(await latest(world, handle.workflowId).result()).toMatchObject({ status: 'COMPLETED' });
      expect(chargesBelow(world, handle.workflowId)).toEqual(bought);
    }
  });
});

describe.concurrent('what people let be bought, and has failed since', () => {
  it('is asked about again where the input that was given after it has failed, too', async () => {
    failTasks(world, 'approved, then refused');
    failTasks(world, 'refused as well');
    const shaky = { ...still('approved, then refused'), approve: true, onFailure: 'hold' as const };
    const handle = await world.pipeline({ policy: FAST, steps: { shaky } });
    await until(handle, 'shaky', 'approval');
    await say(handle, 'approve', { step: 'shaky' });
    await retryWith(world, handle, 'shaky', { prompt: 'refused as well' });
    await eventually(() => expect(chargesBelow(world, handle.workflowId)).toHaveLength(2));
    await until(handle, 'shaky', 'held');
    await say(handle, 'resolve', { step: 'shaky', action: 'fail' });
    await world.failureOf(handle);
    await resetRun(world.client, handle.workflowId);
    const again = latest(world, handle.workflowId);
    await until(again, 'shaky', 'approval');
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(2);
    // What is approved is bought, not what had failed after it.
    await say(again, 'approve', { step: 'shaky' });
    expect((await again.result()).steps).toMatchObject({
      shaky: { result: { data: { actual_prompt: 'approved, then refused' } } },
    });
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(3);
  });

  it('keeps the items of a fan-out that have completed, also in a rerun of the pipeline', async () => {
    const steps = {
      views: still('one of three, and run again', 3),
      each: { ...large({ $each: 'views' }), onFailure: 'hold' as const },
    };
    const handle = await world.pipeline({ policy: FAST, steps });
    const match = { workflowIncludes: `${handle.workflowId}/each/1` };
    world.fault({ on: 'task', match, times: 1, fault: { kind: 'fail', code: 'INVALID_INPUT' } });
    await retryWith(world, handle, 'each', { image_url: { $each: 'views' }, upscale_factor: 4 });
    const { steps: made } = await handle.result();
    // Of a rerun, too: what was given goes on with it.
    for (let of = handle.workflowId, runs = 0; runs < 2; runs += 1) {
      of = await rerunWith(world.client, of, {});
      const again = (await world.client.workflow.getHandle(of).result()) as PipelineResult;
      expect(idsOf(again, 'each')).toEqual(idsOf({ steps: made }, 'each'));
      expect(chargesBelow(world, of)).toEqual([]);
      const { request } = (await readLatestRun<PipelineRequest>(world.client, of)) ?? {};
      const prices = new PriceBook(world.client, new ClientFiles({ outputs: world.config.outputs }));
      const plan = request && (await planPipeline(world.client, request, prices));
      expect(plan).toMatchObject({ bought: 0, reused: 4 });
    }
  });
});

describe.concurrent('a step that is held when it fails', () => {
  const held = (prompt: string) => ({
    shaky: { ...still(prompt), onFailure: 'hold' as const },
    after: large({ $from: 'shaky' }),
  });

  it('is tried again when somebody says so, and what depends on it waits', async () => {
    failTasks(world, 'works the second time');
    const handle = await world.pipeline({ policy: FAST, steps: held('works the second time') });
    expect(await until(handle, 'shaky', 'held')).toMatchObject({
      note: expect.stringContaining('IMAGE_GENERATION_INVALID_INPUT'),
    });
    expect(await refusal(say(handle, 'resolve', { step: 'shaky', action: 'again' }))).toContain(
      'action must be',
    );
    expect(await refusal(say(handle, 'resolve', { step: 'after', action: 'fail' }))).toContain('is not held');
    await say(handle, 'resolve', { step: 'shaky', action: 'retry' });
    const result = await handle.result();
    expect(result.status).toBe('COMPLETED');
    expect(result.charged.total).toBe(creditsBelow(world, handle.workflowId));
    expect(result.usage.total).toBe(20);
  });

  it('is tried with another input', async () => {
    failTasks(world, 'hopeless', 9);
    const handle = await world.pipeline({ policy: FAST, steps: held('hopeless') });
    await until(handle, 'shaky', 'held');
    const bad = say(handle, 'resolve', { step: 'shaky', action: 'retry', input: { n: 1 } });
    expect(await refusal(bad)).toContain('prompt is required');
    await say(handle, 'resolve', { step: 'shaky', action: 'retry', input: { prompt: 'hopeful' } });
    const { status, steps } = await handle.result();
    expect(status).toBe('COMPLETED');
    expect(world.charges(`${handle.workflowId}/shaky`)).toHaveLength(1);
    expect(steps['shaky']?.workflowId).toMatch(/\/shaky@[\w-]{10}$/);
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(3);
  });

  it('takes what another pipeline has bought for the input that it is given', async () => {
    const earlier = await world.pipeline({ policy: FAST, steps: { shaky: still('bought before') } });
    await earlier.result();
    failTasks(world, 'not bought before', 9);
    const handle = await world.pipeline({
      policy: FAST,
      steps: held('not bought before'),
      reuse: earlier.workflowId,
    });
    await retryWith(world, handle, 'shaky', { prompt: 'bought before' });
    expect((await handle.result()).steps['shaky']).toMatchObject({
      reused: true,
      workflowId: `${earlier.workflowId}/shaky`,
    });
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(2);
  });

  it.each([
    ['skip', 'SKIPPED'],
    ['fail', 'FAILED'],
  ])('ends when somebody says %s', async (action, status) => {
    failTasks(world, `given up: ${action}`);
    const handle = await world.pipeline({
      policy: FAST,
      allowPartial: true,
      steps: { ...held(`given up: ${action}`), other: still('not concerned') },
    });
    await until(handle, 'shaky', 'held');
    await say(handle, 'resolve', { step: 'shaky', action });
    const { steps, charged } = await handle.result();
    expect(steps).toMatchObject({
      shaky: { status },
      after: { status: 'SKIPPED' },
      other: { status: 'COMPLETED' },
    });
    expect(charged.total).toBe(creditsBelow(world, handle.workflowId));
  });

  it('keeps the items of a fan-out that have completed', async () => {
    const handle = await world.pipeline({
      policy: FAST,
      steps: {
        views: still('one of three', 3),
        each: { ...large({ $each: 'views' }), onFailure: 'hold' },
        all: { model: 'image-l', input: { prompt: 'all three', image_urls: { $all: 'each' } } },
      },
    });
    world.fault({
      on: 'task',
      match: { workflowIncludes: `${handle.workflowId}/each/1` },
      times: 1,
      fault: { kind: 'fail', code: 'INVALID_INPUT' },
    });
    await until(handle, 'each', 'held');
    const other = { step: 'each', action: 'retry', input: { image_url: { $from: 'views' } } };
    expect(await refusal(say(handle, 'resolve', other))).toContain('must fan out as before');
    await say(handle, 'resolve', { step: 'each', action: 'retry' });
    expect((await handle.result()).status).toBe('COMPLETED');
    const charges = [0, 1, 2].map((index) => world.charges(`${handle.workflowId}/each/${index}`).length);
    expect(charges).toEqual([1, 2, 1]);
  });
});

describe.concurrent('references in use', () => {
  it('give a step all outputs of another as a list, and parameters their values', async () => {
    const handle = await world.pipeline({
      policy: FAST,
      params: { city: 'Oslo', size: 2 },
      steps: {
        views: { model: 'image-l', input: { prompt: { $param: 'city' }, n: { $param: 'size' } } },
        montage: { model: 'image-l', input: { prompt: 'side by side', image_urls: { $all: 'views' } } },
      },
    });
    const { steps } = await handle.result();
    const { views } = steps;
    const urls = views !== undefined && 'result' in views ? views.result.outputs.map(({ url }) => url) : [];
    expect(urls).toHaveLength(2);
    const inputs = ['views', 'montage'].map((name) => {
      const [taskId = ''] = world.bought({ workflowId: `${handle.workflowId}/${name}` });
      return world.emulator.service().tasks.get(taskId)?.input;
    });
    expect(inputs).toMatchObject([{ prompt: 'Oslo', n: 2 }, { image_urls: urls }]);
  });

  it('fan a step out over the values of a parameter', async () => {
    const handle = await world.pipeline({
      policy: FAST,
      params: { cities: ['Oslo', 'Rome', 'Lima'] },
      steps: {
        city: { model: 'image-l', input: { prompt: { $each: { $param: 'cities' } } } },
        last: large({ $from: 'city', output: 2 }),
      },
    });
    const { steps } = await handle.result();
    expect(steps['city']).toMatchObject({ status: 'COMPLETED', items: { length: 3 } });
    const prompts = [0, 1, 2].map((index) => {
      const [taskId = ''] = world.bought({ workflowId: `${handle.workflowId}/city/${index}` });
      return world.emulator.service().tasks.get(taskId)?.prompt;
    });
    expect(prompts).toEqual(['Oslo', 'Rome', 'Lima']);
  });
});

it('takes no answer once it is cancelled: nothing would be done about it', async () => {
  const submitting = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const own = await openWorld({
    activities: (activities) => ({
      ...activities,
      submitTask: async (input) => {
        submitting.resolve();
        await cancelled.promise;
        return await activities.submitTask(input);
      },
    }),
  });
  try {
    const steps = {
      running: still('bought while it is cancelled'),
      gated: { ...still('approved too late'), approve: true },
    };
    const handle = await own.pipeline({ policy: FAST, steps });
    await until(handle, 'gated', 'approval');
    await submitting.promise;
    await handle.cancel();
    await eventually(async () => {
      const { events } = await handle.fetchHistory();
      expect(events).toContainEqual(
        expect.objectContaining({
          requestCancelExternalWorkflowExecutionInitiatedEventAttributes: expect.anything(),
        }),
      );
    });
    for (const update of ['approve', 'reject'] as const)
      expect(await refusal(say(handle, update, { step: 'gated' }))).toContain('is being cancelled');
    cancelled.resolve();
    await eventually(async () => expect((await handle.describe()).status.name).toBe('CANCELLED'));
    expect(chargesBelow(own, handle.workflowId)).toHaveLength(1);
  } finally {
    cancelled.resolve();
    await own.close();
  }
});
