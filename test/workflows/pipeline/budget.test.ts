import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rerunWith } from '../../../src/client/starting/rerun.ts';
import { type AccountReport, accountOfBudget } from '../../../src/contract/entities/account.ts';
import type { Progress } from '../../../src/contract/generation.ts';
import type { PipelineProgress, PipelineRequest, PipelineResult } from '../../../src/contract/pipeline.ts';
import { DarkroomState } from '../../../src/contract/search-attributes.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { deleteRuns } from '../../delete-run.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, openWorld, type World } from '../world.ts';
import {
  cancelTask,
  chargesBelow,
  creditsBelow,
  failTask,
  failTasks,
  finishTask,
  hangTasks,
  large,
  latest,
  still,
} from './steps.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const refused = { status: 'FAILED', failure: { type: 'BUDGET_EXCEEDED', details: { attempts: [] } } };

/** The steps that the budget has refused, in whatever order they came. */
function refusedOf(steps: PipelineResult['steps']): string[] {
  return Object.entries(steps).flatMap(([name, step]) =>
    'failure' in step && step.failure.type === 'BUDGET_EXCEEDED' ? name : [],
  );
}

async function run(credits: number, steps: PipelineRequest['steps'], more: Partial<PipelineRequest> = {}) {
  const handle = await world.pipeline({
    policy: FAST,
    budget: { credits },
    allowPartial: true,
    steps,
    ...more,
  });
  const result = await handle.result();
  return { ...result, handle, ledger: creditsBelow(world, handle.workflowId) };
}

/** Tasks of that prompt fail, and are charged for, and the policy buys them again. */
function failAlways(promptIncludes: string): void {
  world.fault({ on: 'task', match: { promptIncludes }, fault: { kind: 'fail', code: 'RATE_LIMITED' } });
}

describe.concurrent('the budget of a pipeline', () => {
  it('starts no step beyond it', async () => {
    const { steps, ledger } = await run(8, { a: still('in budget'), b: large({ $from: 'a' }) });
    expect(steps).toMatchObject({ a: { status: 'COMPLETED' }, b: refused });
    expect(ledger).toBe(8);
  });

  it('does not keep a Reset from taking over what was paid for and has come to its end since', async () => {
    hangTasks(world, 'late within');
    const { handle } = await run(8, { a: { ...still('late within'), policy: { deadline: '500ms' } } });
    const [taskId] = chargesBelow(world, handle.workflowId);
    await finishTask(world, taskId);
    await resetRun(world.client, handle.workflowId);
    const { steps } = await latest(world, handle.workflowId).result();
    expect(steps).toMatchObject({ a: { status: 'COMPLETED', result: { taskId } } });
    expect(chargesBelow(world, handle.workflowId)).toEqual([taskId]);
  });

  it('keeps a Reset from buying what has failed since', async () => {
    hangTasks(world, 'late and failed');
    const { handle } = await run(8, { a: { ...still('late and failed'), policy: { deadline: '500ms' } } });
    const [taskId] = chargesBelow(world, handle.workflowId);
    await failTask(world, taskId, 'TIMEOUT');
    for (let count = 0; count < 2; count += 1) {
      await resetRun(world.client, handle.workflowId);
      const { steps } = await latest(world, handle.workflowId).result();
      expect(steps).toMatchObject({ a: refused });
    }
    expect(chargesBelow(world, handle.workflowId)).toEqual([taskId]);
  });

  it.each([
    ['fails', 'failed', 'BUDGET_EXCEEDED', (taskId?: string) => failTask(world, taskId, 'TIMEOUT')],
    ['is canceled', 'canceled', 'TASK_CANCELED', (taskId?: string) => cancelTask(world, taskId)],
  ] as const)(
    'buys no other one where what a Reset has taken over %s',
    async (how, outcome, type, endTask) => {
      const prompt = `taken over, and ${how}`;
      hangTasks(world, prompt);
      const { handle } = await run(8, { a: { ...still(prompt), policy: { deadline: '2s' } } });
      const [taskId] = chargesBelow(world, handle.workflowId);
      await resetRun(world.client, handle.workflowId);
      const child = world.client.workflow.getHandle(`${handle.workflowId}/a`);
      await eventually(() => world.until(child, 'waiting'));
      await endTask(taskId);
      const { steps } = await latest(world, handle.workflowId).result();
      expect(steps).toMatchObject({
        a: { failure: { type, details: { attempts: [{ taskId, adopted: true, outcome }] } } },
      });
      expect(chargesBelow(world, handle.workflowId)).toEqual([taskId]);
    },
  );

  /** A pipeline of a step that fails and is held, and two that wait for approval: the credits are for three generations in all. */
  async function withHeldStep(prompt: string) {
    failTasks(world, prompt);
    const handle = await world.pipeline({
      policy: FAST,
      budget: { credits: 24 },
      allowPartial: true,
      steps: {
        held: { ...still(prompt), onFailure: 'hold' },
        one: { ...still(`one besides ${prompt}`), approve: true },
        two: { ...still(`two besides ${prompt}`), approve: true },
      },
    });
    const isAt = async (step: string, status: string): Promise<void> => {
      const { steps } = await handle.query<PipelineProgress>('progress');
      expect(steps[step]?.status).toBe(status);
    };
    await eventually(() => isAt('held', 'held'));
    return {
      child: world.client.workflow.getHandle(`${handle.workflowId}/held`),
      /** The generation of the input that a person gave. */
      otherInput: async () => {
        const charges = world.emulator.service().ledger.charges();
        const workflow = charges.find((charge) =>
          charge.workflow?.startsWith(`${handle.workflowId}/held@`),
        )?.workflow;
        return world.client.workflow.getHandle(workflow ?? 'none');
      },
      bought: () => chargesBelow(world, handle.workflowId),
      spent: () => creditsBelow(world, handle.workflowId),
      resolve: async (said: object, status: string) => {
        await handle.executeUpdate<unknown, [object]>('resolve', { args: [{ step: 'held', ...said }] });
        await eventually(() => isAt('held', status));
      },
      isHeldAgain: () => eventually(() => isAt('held', 'held')),
      /** Approves the others, one after the other. */
      finish: async () => {
        for (const step of ['one', 'two']) {
          await handle.executeUpdate('approve', { args: [{ step }] });
          await eventually(() => isAt(step, 'done'));
        }
        return await handle.result();
      },
    };
  }

  it('counts what somebody else has bought for a step that is held', async () => {
    const { child, resolve, finish, spent } = await withHeldStep('held and run again by hand');
    await rerunWith(world.client, child.workflowId, {});
    await child.result();
    expect((await child.describe()).memo).toMatchObject({ step: 'held' });
    await resolve({ action: 'retry' }, 'done');
    const { steps } = await finish();
    expect(steps).toMatchObject({
      held: { status: 'COMPLETED' },
      one: { status: 'COMPLETED' },
      two: refused,
    });
    expect(spent()).toBe(24);
  });

  it('counts what was bought anew with another input, and ended by somebody', async () => {
    hangTasks(world, 'changed by a person');
    const { otherInput, bought, resolve, isHeldAgain, finish, spent } =
      await withHeldStep('held and changed');
    await resolve({ action: 'retry', input: { prompt: 'changed by a person' } }, 'running');
    await eventually(() => expect(bought()).toHaveLength(2));
    await (await otherInput()).cancel();
    await isHeldAgain();
    await resolve({ action: 'skip' }, 'done');
    const end = finish();
    await eventually(() => expect(bought()).toHaveLength(3));
    // While it might still be refunded, the last one waits.
    await finishTask(world, bought()[1]);
    expect((await end).steps).toMatchObject({ one: { status: 'COMPLETED' }, two: refused });
    expect(spent()).toBe(24);
  });

  it('counts a price that nobody knows as all that is left, so such steps are not bought side by side', async () => {
    const { steps, usage, ledger } = await run(8, { a: still('side'), b: still('by side'), c: still('by') });
    expect(refusedOf(steps)).toHaveLength(2);
    expect([usage.total, ledger]).toEqual([8, 8]);
  });

  it('is said to be what a step waits for, wherever a person looks, and nobody is called for it', async () => {
    hangTasks(world, 'keeps another waiting');
    const handle = await world.pipeline({
      policy: { ...FAST, deadline: '5m' },
      budget: { credits: 8 },
      allowPartial: true,
      // Whichever is first.
      steps: { a: still('a keeps another waiting'), b: still('b keeps another waiting') },
    });
    await eventually(async () => {
      const steps = Object.values((await handle.query<PipelineProgress>('progress')).steps);
      expect(steps.map(({ needs }) => needs)).toContain('waiting for its budget');
    });
    const { steps } = await handle.query<PipelineProgress>('progress');
    const waiting = Object.keys(steps).find((name) => steps[name]?.needs !== undefined) ?? '';
    expect(steps[waiting]?.note).toContain('what is left of the budget of pipeline/');
    const [pipelineDetails, child] = [await world.details(handle), `${handle.workflowId}/${waiting}`];
    expect(pipelineDetails).toContain('**waiting for its budget**');
    expect(pipelineDetails).toContain('It goes on by itself.');
    const generation = world.client.workflow.getHandle(child);
    expect(await world.details(generation)).toContain('**Waiting for its budget**');
    for (const run of [handle, generation])
      expect((await run.describe()).typedSearchAttributes.get(DarkroomState)).toBeUndefined();
    await finishTask(world, chargesBelow(world, handle.workflowId)[0]);
    expect(refusedOf((await handle.result()).steps)).toHaveLength(1);
  });

  it('is no longer said to be what a step waits for once its POST is refused for another reason', async () => {
    const { faults } = world.emulator.service();
    const prompt = 'waits, and is refused then';
    const on = { on: 'submit', match: { promptIncludes: prompt } } as const;
    // The first one holds all that is there, because nobody knows what two pictures of it cost.
    faults.add({ ...on, times: 1, fault: { kind: 'slow', ms: 20_000, when: 'before' } });
    const { id } = faults.add({ ...on, fault: { kind: 'error', code: 'PROVIDER_UNAVAILABLE' } });
    const pace = { initial: '3s', factor: 1, max: '3s', window: '10m' };
    const handle = await world.pipeline({
      policy: { ...FAST, retries: { ...FAST.retries, PROVIDER_UNAVAILABLE: pace } },
      budget: { credits: 32 },
      steps: { a: still(prompt, 2), b: still(prompt, 2) },
    });
    const stepsNow = async () => (await handle.query<PipelineProgress>('progress')).steps;
    const waiting = await eventually(async () => {
      const found = Object.entries(await stepsNow()).find(([, { needs }]) => needs !== undefined);
      expect(found?.[1].needs).toBe('waiting for its budget');
      return found?.[0] ?? '';
    });
    await eventually(async () => {
      const { status, needs } = (await stepsNow())[waiting] ?? {};
      expect({ status, needs }).toEqual({ status: 'running', needs: undefined });
    });
    const generation = world.client.workflow.getHandle(`${handle.workflowId}/${waiting}`);
    expect(await generation.query<Progress>('progress')).toMatchObject({
      state: 'submitting',
      trouble: null,
    });
    expect(world.bought(generation)).toEqual([]);
    faults.remove(id);
    expect((await handle.result()).status).toBe('COMPLETED');
  });

  it('lets steps run side by side, as far as it goes', async () => {
    hangTasks(world, 'together');
    const names = ['a', 'b', 'c', 'd'];
    const handle = await world.pipeline({
      policy: FAST,
      budget: { credits: 30 },
      allowPartial: true,
      steps: Object.fromEntries(names.map((name) => [name, still(`together ${name}`)])),
    });
    await eventually(() => expect(chargesBelow(world, handle.workflowId)).toHaveLength(3));
    for (const taskId of chargesBelow(world, handle.workflowId)) await finishTask(world, taskId);
    expect(refusedOf((await handle.result()).steps)).toHaveLength(1);
    expect(creditsBelow(world, handle.workflowId)).toBe(24);
  });

  it('does not take the price of one picture for that of four', async () => {
    const { ledger } = await run(48, {
      one: still('one first'),
      four: still('four at once', 4),
      also: still('also four at once', 4),
    });
    expect(ledger).toBe(40);
  });

  it('refuses a fan-out item by item', async () => {
    const { steps, ledger } = await run(32, {
      views: still('three views', 3),
      each: large({ $each: 'views' }),
    });
    const each = steps['each'];
    const items = each !== undefined && 'items' in each ? each.items : [];
    expect(items.map(({ status }) => status).toSorted()).toEqual(['COMPLETED', 'COMPLETED', 'FAILED']);
    expect(ledger).toBe(32);
  });

  it('holds for further attempts, too, even where steps run side by side', async () => {
    failAlways('fails on and on');
    const { steps, ledger } = await run(45, {
      first: still('shows the price'),
      b: still('fails on and on b'),
      c: still('fails on and on c'),
    });
    expect(steps).toMatchObject({
      b: { status: 'FAILED', failure: { type: 'BUDGET_EXCEEDED' } },
      c: { status: 'FAILED', failure: { type: 'BUDGET_EXCEEDED' } },
    });
    expect(ledger).toBeGreaterThanOrEqual(24);
    expect(ledger).toBeLessThanOrEqual(45);
  });

  it('does not widen the budget that a step has for its own attempts', async () => {
    failAlways('may cost eight');
    const { steps, ledger } = await run(100, {
      a: { ...still('may cost eight'), policy: { budget: { credits: 8 } } },
    });
    expect(steps).toMatchObject({ a: { failure: { type: 'BUDGET_EXCEEDED' } } });
    expect(ledger).toBe(8);
  });

  it('learns prices from what is reused', async () => {
    const first = await world.pipeline({ policy: FAST, steps: { a: still('known before') } });
    await first.result();
    hangTasks(world, 'known now');
    const handle = await world.pipeline({
      policy: FAST,
      reuse: first.workflowId,
      budget: { credits: 16 },
      steps: {
        a: still('known before'),
        b: { model: 'image-l', input: { prompt: 'known now b', image_urls: [{ $from: 'a' }] } },
        c: { model: 'image-l', input: { prompt: 'known now c', image_urls: [{ $from: 'a' }] } },
      },
    });
    await eventually(() => expect(chargesBelow(world, handle.workflowId)).toHaveLength(2));
    for (const taskId of chargesBelow(world, handle.workflowId)) await finishTask(world, taskId);
    expect((await handle.result()).status).toBe('COMPLETED');
  });
});

describe.concurrent('another run of a pipeline with a budget', () => {
  const accountOf = (owner: string): Promise<AccountReport> => {
    const id = entityId('account', accountOfBudget(owner, String).scope, world.config.taskQueue);
    return world.client.workflow.getHandle(id).query('account');
  };

  async function again(workflowId: string): Promise<PipelineResult> {
    await resetRun(world.client, workflowId);
    return await latest(world, workflowId).result();
  }

  it('takes over what the budget would not pay for any more', async () => {
    const { handle, status } = await run(12, { a: still('paid for'), b: large({ $from: 'a' }) });
    expect(status).toBe('COMPLETED');
    expect((await again(handle.workflowId)).status).toBe('COMPLETED');
    expect(creditsBelow(world, handle.workflowId)).toBe(12);
  });

  it('counts what every earlier run has spent, each task once', async () => {
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match: { promptIncludes: 'always in vain' }, fault });
    const { handle } = await run(24, { a: still('always in vain') });
    const types = [];
    for (let count = 0; count < 4; count += 1) {
      const { a } = (await again(handle.workflowId)).steps;
      types.push(a?.status === 'FAILED' && 'failure' in a ? a.failure.type : a?.status);
    }
    expect(types.slice(2)).toEqual(['BUDGET_EXCEEDED', 'BUDGET_EXCEEDED']);
    expect(creditsBelow(world, handle.workflowId)).toBe(24);
  });

  it('binds a step that is run again by itself, until that is given a budget of its own', async () => {
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match: { promptIncludes: 'in vain until later' }, times: 1, fault });
    const { handle } = await run(8, { a: still('in vain until later') });
    expect((await again(handle.workflowId)).steps).toMatchObject({ a: refused });
    const child = world.client.workflow.getHandle(`${handle.workflowId}/a`);
    await rerunWith(world.client, child.workflowId, {});
    expect(await world.failureOf(child)).toMatchObject(refused.failure);
    expect(creditsBelow(world, handle.workflowId)).toBe(8);
    await rerunWith(world.client, child.workflowId, { policy: { budget: { credits: 8 } } });
    await child.result();
    expect(creditsBelow(world, handle.workflowId)).toBe(16);
    // That counts in the pipeline's, too.
    expect(await accountOf(handle.workflowId)).toMatchObject({ spent: 16 });
  });

  it('goes on in its reruns, until it is raised', async () => {
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match: { promptIncludes: 'in vain at first' }, times: 1, fault });
    const { handle } = await run(8, { a: still('in vain at first') });
    const rerun = async (of: string, changes: Parameters<typeof rerunWith>[2]) => {
      const id = await rerunWith(world.client, of, changes);
      const { steps } = (await world.client.workflow.getHandle(id).result()) as PipelineResult;
      return { id, steps };
    };
    const same = await rerun(handle.workflowId, {});
    expect(same.steps).toMatchObject({ a: refused });
    const raised = await rerun(same.id, { budget: { credits: 24 } });
    expect(raised.steps).toMatchObject({ a: { status: 'COMPLETED' } });
    expect(await accountOf(handle.workflowId)).toMatchObject({ spent: 16 });
    // Who says nothing of it leaves it as it is.
    const another = (prompt: string) => rerun(handle.workflowId, { inputs: { a: { prompt } } });
    expect((await another('within what was raised')).steps).toMatchObject({ a: { status: 'COMPLETED' } });
    expect((await another('beyond it')).steps).toMatchObject({ a: refused });
    expect(await accountOf(handle.workflowId)).toMatchObject({ spent: 24 });
  });

  it('goes on where the server has deleted the first of them', async () => {
    const { handle } = await run(8, { a: still('deleted since') });
    const second = await rerunWith(world.client, handle.workflowId, { budget: { credits: 16 } });
    await world.client.workflow.getHandle(second).result();
    await deleteRuns(world.client, handle.workflowId);
    const third = await rerunWith(world.client, second, { inputs: { a: { prompt: 'bought since' } } });
    const { steps } = (await world.client.workflow.getHandle(third).result()) as PipelineResult;
    expect(steps).toMatchObject({ a: { status: 'COMPLETED' } });
    expect(await accountOf(handle.workflowId)).toMatchObject({ spent: 16 });
  });

  it('is bound by what the next one says at once, although that buys nothing itself', async () => {
    hangTasks(world, 'goes on under its pipeline');
    const request = (credits: number): PipelineRequest => ({
      policy: { ...FAST, deadline: '5m' },
      budget: { credits },
      steps: { a: still('a goes on under its pipeline'), b: still('b goes on under its pipeline') },
    });
    const first = await world.pipeline(request(8));
    const id = first.workflowId;
    await eventually(async () => {
      const { steps } = await first.query<PipelineProgress>('progress');
      expect(Object.values(steps).map(({ needs }) => needs)).toContain('waiting for its budget');
    });
    await first.terminate();
    const next = await world.pipeline(request(16), id);
    await eventually(() => expect(chargesBelow(world, id)).toHaveLength(2));
    for (const taskId of chargesBelow(world, id)) await finishTask(world, taskId);
    expect((await next.result()).status).toBe('COMPLETED');
    expect(await accountOf(id)).toMatchObject({ spent: 16, limit: 16 });
  });

  it('counts all that its earlier runs have spent', async () => {
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match: { promptIncludes: 'spent in vain' }, times: 2, fault });
    const steps = { a: still('well spent'), b: still('spent in vain') };
    const { handle } = await run(20, steps);
    expect((await again(handle.workflowId)).steps).toMatchObject({ a: { status: 'COMPLETED' }, b: refused });
    expect(creditsBelow(world, handle.workflowId)).toBe(16);
    const richer = await run(40, steps, { reuse: handle.workflowId });
    expect(richer.steps).toMatchObject({ a: { reused: true }, b: { status: 'FAILED' } });
    expect((await again(richer.handle.workflowId)).steps).toMatchObject({ b: { status: 'COMPLETED' } });
  });
});
