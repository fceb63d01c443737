import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GenerationRequest, Progress } from '../../../src/contract/generation.ts';
import { pipelineProgressQuery, resolveUpdate } from '../../../src/contract/messages.ts';
import type { PipelineRequest, PipelineResult } from '../../../src/contract/pipeline.ts';
import { readLatestRun } from '../../../src/temporal/latest-run.ts';
import { deleteRuns } from '../../delete-run.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, image, openWorld, type World } from '../world.ts';
import {
  chargesBelow,
  creditsBelow,
  failTask,
  failTasks,
  finishTask,
  hangTasks,
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

const start = (steps: PipelineRequest['steps'], more: Partial<PipelineRequest> = {}) =>
  world.pipeline({ policy: FAST, allowPartial: true, steps, ...more });

/** @param point from 0, the first, to 1, the last */
async function again(workflowId: string, point = 0): Promise<PipelineResult> {
  await resetRun(world.client, workflowId, point);
  return await latest(world, workflowId).result();
}

describe.concurrent('what a pipeline was charged, over all runs of its id, is its bill', () => {
  it('where a Reset buys again what has failed, and another one goes back to the end of what that bought', async () => {
    failTasks(world, 'paid for twice', 2);
    const handle = await start({ a: still('paid for once'), b: still('paid for twice') });
    const runs = [await handle.result()];
    for (const point of [0, 0, 1]) runs.push(await again(handle.workflowId, point));
    expect(runs.map(({ status }) => status)).toEqual(['PARTIAL', 'PARTIAL', 'COMPLETED', 'COMPLETED']);
    expect(runs.map(({ charged }) => charged.total)).toEqual([16, 8, 8, 0]);
    expect(runs.at(-1)?.usage.total).toBe(16);
    expect(creditsBelow(world, handle.workflowId)).toBe(32);
  });

  it('where a Reset goes back to any point of a run', async () => {
    const handle = await start({ a: still('any point'), b: large({ $from: 'a' }) });
    const runs = [await handle.result()];
    for (const point of [0.2, 0.5, 0.8, 1]) runs.push(await again(handle.workflowId, point));
    expect(runs.map(({ charged }) => charged.total)).toEqual([12, 0, 0, 0, 0]);
    expect(new Set(runs.map(({ usage }) => usage.total))).toEqual(new Set([12]));
  });

  it('where a run was ended before it could tell', async () => {
    const release = world.hold('untold');
    const steps = { a: still('untold'), b: large({ $from: 'a' }) };
    const handle = await start(steps);
    await eventually(() => expect(chargesBelow(world, handle.workflowId)).toHaveLength(1));
    await handle.terminate();
    const next = await world.pipeline({ policy: FAST, steps }, handle.workflowId);
    release();
    expect((await next.result()).charged.total).toBe(12);
    expect(creditsBelow(world, handle.workflowId)).toBe(12);
  });

  it('where what failed was told to no run: the one that had started it was ended before', async () => {
    const { steps, handle, child } = await endedWhileItWaits('failed for nobody');
    await failTask(world, world.bought(child)[0], 'INVALID_INPUT');
    await world.failureOf(child);
    const next = await world.pipeline({ policy: FAST, steps }, handle.workflowId);
    const runs = [await next.result(), await again(handle.workflowId)];
    expect(runs.map(({ charged }) => charged.total)).toEqual([16, 0]);
    expect(runs.map(({ usage }) => usage.total)).toEqual([16, 8]);
    expect(creditsBelow(world, handle.workflowId)).toBe(16);
  });

  it('where what failed twice was told to no run: each that had started it was ended before', async () => {
    const prompt = 'failed twice for nobody';
    world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 2, fault: { kind: 'hang' } });
    const steps = { a: still(prompt) };
    const { workflowId } = await start(steps);
    const child = world.client.workflow.getHandle(`${workflowId}/a`);
    for (const count of [1, 2]) {
      await eventually(() => expect(world.bought(child)).toHaveLength(count));
      await world.until(child, 'waiting');
      await latest(world, workflowId).terminate();
      await failTask(world, world.bought(child).at(-1), 'INVALID_INPUT');
      await world.failureOf(child);
      await world.pipeline({ policy: FAST, steps }, workflowId);
    }
    const runs = [await latest(world, workflowId).result(), await again(workflowId)];
    expect(runs.map(({ charged }) => charged.total)).toEqual([24, 0]);
    expect(runs.map(({ usage }) => usage.total)).toEqual([24, 8]);
    expect(creditsBelow(world, workflowId)).toBe(24);
  });

  it('where a generation was ended by itself, as its pipeline was, and its task failed afterwards', async () => {
    const { steps, handle, child } = await endedWhileItWaits('failed after all had ended');
    await child.terminate();
    await failTask(world, world.bought(child)[0], 'INVALID_INPUT');
    const next = await world.pipeline({ policy: FAST, steps }, handle.workflowId);
    const runs = [await next.result(), await again(handle.workflowId)];
    expect(runs.map(({ charged }) => charged.total)).toEqual([16, 0]);
    expect(creditsBelow(world, handle.workflowId)).toBe(16);
  });

  it('where a submit that was given up turned out to be charged, and its task still runs', async () => {
    const prompt = 'given up, charged, and running';
    hangTasks(world, prompt);
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const reconcile = { wait: '100ms', otherwise: 'resubmit' };
    const steps = { a: { ...still(prompt), policy: { reconcile } } };
    const { workflowId } = await start(steps);
    const child = world.client.workflow.getHandle(`${workflowId}/a`);
    const [first = '', second] = await eventually(() => {
      expect(world.bought(child)).toHaveLength(2);
      return world.bought(child);
    });
    await world.tellOfCreation(first, { prompt });
    const proven = { taskId: null, outcome: 'unknown', usage: { total: 8 } };
    await eventually(async () =>
      expect((await child.query<Progress>('progress')).attempts).toMatchObject([proven]),
    );
    await latest(world, workflowId).terminate();
    await finishTask(world, second);
    expect(await child.result()).toMatchObject({ attempts: [proven, {}], charged: { total: 16 } });
    await world.pipeline({ policy: FAST, steps }, workflowId);
    const runs = [await latest(world, workflowId).result(), await again(workflowId)];
    expect(runs.map(({ charged }) => charged.total)).toEqual([16, 0]);
    expect(creditsBelow(world, workflowId)).toBe(16);
  });

  /** A pipeline that runs again before it has bought anything, whose step is held where it fails. */
  async function withHeldStep(prompt: string) {
    const step = { ...still(prompt), onFailure: 'hold' as const };
    const asking = await start({ a: { ...step, approve: true } });
    const { workflowId } = asking;
    await eventually(async () =>
      expect((await asking.query(pipelineProgressQuery)).steps['a']?.status).toBe('approval'),
    );
    await asking.terminate();
    const handle = await world.pipeline({ policy: FAST, steps: { a: step } }, workflowId);
    const isHeld = async (): Promise<void> =>
      expect((await handle.query(pipelineProgressQuery)).steps['a']?.status).toBe('held');
    return { handle, workflowId, untilHeld: () => eventually(isHeld) };
  }

  it('where a run of a step is deleted that was ended by itself, and a person has had it tried again', async () => {
    const prompt = 'ended by itself, and deleted';
    world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault: { kind: 'hang' } });
    const { handle, workflowId, untilHeld } = await withHeldStep(prompt);
    const child = world.client.workflow.getHandle(`${workflowId}/a`);
    await eventually(() => world.until(child, 'waiting'));
    await child.terminate();
    await untilHeld();
    await failTask(world, world.bought(child)[0], 'INVALID_INPUT');
    await deleteRuns(world.client, child.workflowId);
    await retryWith(world, handle, 'a', still(prompt).input);
    expect(await handle.result()).toMatchObject({ usage: { total: 16 }, charged: { total: 16 } });
    expect((await again(workflowId)).charged.total).toBe(0);
    expect(creditsBelow(world, workflowId)).toBe(16);
  });

  it.each([
    ['the first run', 'what it has told is known to the pipeline alone'],
    ['no run', 'the server tells it all'],
  ])('where %s of a step that was tried twice is deleted: %s', async (which) => {
    const prompt = `tried twice, and deleted: ${which}`;
    failTasks(world, prompt);
    const { handle, workflowId, untilHeld } = await withHeldStep(prompt);
    await untilHeld();
    if (which === 'the first run') await deleteRuns(world.client, `${workflowId}/a`);
    await retryWith(world, handle, 'a', still(prompt).input);
    expect(await handle.result()).toMatchObject({ usage: { total: 16 }, charged: { total: 16 } });
    expect((await again(workflowId)).charged.total).toBe(0);
    expect(creditsBelow(world, workflowId)).toBe(16);
  });

  it('where another pipeline has an id that begins alike: what that buys is its own', async () => {
    const handle = await start({ a: still('of the shorter id') });
    const { workflowId } = handle;
    const first = await handle.result();
    const below = await world.pipeline({ policy: FAST, steps: { a: still('below it') } }, `${workflowId}/b`);
    const other = await below.result();
    expect([first.charged.total, other.charged.total]).toEqual([8, 8]);
    const rerun = await again(workflowId);
    expect(rerun).toMatchObject({ usage: { total: 8 }, charged: { total: 0 } });
  });

  it('where steps are reused, which cost nothing', async () => {
    const steps = (prompt: string) => ({ a: still('bought before'), b: still(prompt) });
    const first = await start(steps('one way'));
    await first.result();
    const second = await start(steps('another way'), { reuse: first.workflowId });
    const result = await second.result();
    expect([result.usage.total, result.charged.total]).toEqual([8, 8]);
    expect(creditsBelow(world, second.workflowId)).toBe(8);
  });

  it('where somebody cancels one of its generations', async () => {
    hangTasks(world, 'called off, paid for');
    const handle = await start({ off: still('called off, paid for'), on: still('goes on') });
    const child = world.client.workflow.getHandle(`${handle.workflowId}/off`);
    await eventually(() => world.until(child, 'waiting'));
    await child.cancel();
    const result = await handle.result();
    expect(result.steps['off']).toMatchObject({
      status: 'FAILED',
      failure: { type: 'CancelledFailure', details: { usage: { total: 8 } } },
    });
    expect(result.charged.total).toBe(16);
    expect(creditsBelow(world, handle.workflowId)).toBe(16);
  });

  /** A pipeline of which a generation is ended from outside while its task, which goes on, is paid for. */
  async function withEndedStep(how: 'cancel' | 'terminate', more: { onFailure?: 'hold' } = {}) {
    const prompt = `${how} ${JSON.stringify(more)}, adopted later`;
    hangTasks(world, prompt);
    const handle = await start({ off: { ...still(prompt), ...more } }, { budget: { credits: 20 } });
    const child = world.client.workflow.getHandle(`${handle.workflowId}/off`);
    await eventually(() => world.until(child, 'waiting'));
    await child[how]();
    const finish = (): Promise<void> => finishTask(world, world.bought(child)[0]);
    return { handle, finish };
  }

  it.each(['cancel', 'terminate'] as const)(
    'where a Reset adopts the task of a generation that was ended by itself (%s)',
    async (how) => {
      const { handle, finish } = await withEndedStep(how);
      const runs = [await handle.result()];
      await finish();
      for (let count = 0; count < 2; count += 1) runs.push(await again(handle.workflowId));
      expect(runs.map(({ status }) => status)).toEqual(['FAILED', 'COMPLETED', 'COMPLETED']);
      expect(runs.map(({ charged }) => charged.total)).toEqual([8, 0, 0]);
      expect(runs.map(({ usage }) => usage.total)).toEqual([8, 8, 8]);
      expect(creditsBelow(world, handle.workflowId)).toBe(8);
    },
  );

  it('where it was cancelled while a step was tried with another input', async () => {
    failTasks(world, 'tried first');
    hangTasks(world, 'tried next');
    const handle = await start({ off: { ...still('tried first'), onFailure: 'hold' } });
    const answer = async (): Promise<void> => {
      await eventually(async () =>
        expect((await handle.query(pipelineProgressQuery)).steps['off']?.status).toBe('held'),
      );
      const input = { prompt: 'tried next' };
      await handle.executeUpdate(resolveUpdate, { args: [{ step: 'off', action: 'retry', input }] });
    };
    await answer();
    const [, taskId = ''] = await eventually(() => {
      const bought = chargesBelow(world, handle.workflowId);
      expect(bought).toHaveLength(2);
      return bought;
    });
    await handle.cancel();
    await handle.result().catch(() => undefined);
    await finishTask(world, taskId);
    await resetRun(world.client, handle.workflowId);
    const { charged } = await latest(world, handle.workflowId).result();
    expect(charged.total).toBe(16);
    expect(creditsBelow(world, handle.workflowId)).toBe(16);
  });

  it('where a person tries a step once more whose generation was ended by itself', async () => {
    const { handle, finish } = await withEndedStep('cancel', { onFailure: 'hold' });
    await eventually(async () =>
      expect((await handle.query(pipelineProgressQuery)).steps['off']?.status).toBe('held'),
    );
    await finish();
    await handle.executeUpdate(resolveUpdate, { args: [{ step: 'off', action: 'retry' }] });
    const { status, usage, charged } = await handle.result();
    expect([status, usage.total, charged.total]).toEqual(['COMPLETED', 8, 8]);
    expect(creditsBelow(world, handle.workflowId)).toBe(8);
    expect((await handle.query(pipelineProgressQuery)).usage.total).toBe(8);
  });
});

/** A pipeline that was terminated while the task of its one step runs; that task never ends by itself. */
async function endedWhileItWaits(prompt: string) {
  world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault: { kind: 'hang' } });
  const steps = { a: still(prompt) };
  const handle = await start(steps);
  const child = world.client.workflow.getHandle(`${handle.workflowId}/a`);
  await eventually(() => world.until(child, 'waiting'));
  await handle.terminate();
  return { steps, handle, child };
}

describe('tags', () => {
  const tags = { team: 'film', 'cost-center': 'x:42' };

  it('go from a pipeline to each of its generations', async () => {
    const handle = await start({ two: still('tagged', 2), each: large({ $each: 'two' }) }, { tags });
    await handle.result();
    for (const path of ['two', 'each/0', 'each/1']) {
      const run = await readLatestRun<GenerationRequest>(world.client, `${handle.workflowId}/${path}`);
      expect(run?.request?.tags).toEqual(tags);
    }
  });

  it('are checked like everything else', async () => {
    await world.generate({ ...image('with tags'), tags });
    const { type, details } = await world.fail({ ...image('bad tags'), tags: { team: 'two words' } });
    expect(type).toBe('INVALID_REQUEST');
    expect(details.errors?.map(({ path }) => path)).toEqual(['tags.team']);
  });
});
