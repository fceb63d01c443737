import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PipelineRequest, PipelineResult } from '../../../src/contract/pipeline.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, openWorld, type World } from '../world.ts';
import { chargesBelow, creditsBelow, finishTask, hangTasks, large, latest, still } from './steps.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const refused = { status: 'FAILED', failure: { type: 'BUDGET_EXCEEDED', details: { attempts: [] } } };

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

  it('counts a price that nobody knows as all that is left, so such steps do not run side by side', async () => {
    const { steps, usage, ledger } = await run(8, { a: still('side'), b: still('by side'), c: still('by') });
    expect(steps).toMatchObject({ a: { status: 'COMPLETED' }, b: refused, c: refused });
    expect([usage.total, ledger]).toEqual([8, 8]);
  });

  it('lets steps run side by side whose price is known, as far as it goes', async () => {
    hangTasks(world, 'then together');
    const handle = await world.pipeline({
      policy: FAST,
      budget: { credits: 30 },
      allowPartial: true,
      steps: {
        first: still('alone'),
        b: still('then together b'),
        c: still('then together c'),
        d: still('then together d'),
      },
    });
    await eventually(() => expect(chargesBelow(world, handle.workflowId)).toHaveLength(3));
    for (const taskId of chargesBelow(world, handle.workflowId).slice(1)) await finishTask(world, taskId);
    const { steps } = await handle.result();
    expect(steps).toMatchObject({ b: { status: 'COMPLETED' }, c: { status: 'COMPLETED' }, d: refused });
    expect(creditsBelow(world, handle.workflowId)).toBe(24);
  });

  it('does not take the price of one picture for that of four', async () => {
    hangTasks(world, 'four at once');
    const handle = await world.pipeline({
      policy: FAST,
      budget: { credits: 100 },
      steps: { one: still('one first'), four: still('four at once', 4), also: still('also four at once', 4) },
    });
    await eventually(() => expect(chargesBelow(world, handle.workflowId)).toHaveLength(2));
    const [, four] = chargesBelow(world, handle.workflowId);
    await finishTask(world, four);
    await eventually(() => expect(chargesBelow(world, handle.workflowId)).toHaveLength(3));
    await finishTask(world, chargesBelow(world, handle.workflowId)[2]);
    expect((await handle.result()).usage.total).toBe(72);
  });

  it('refuses a fan-out item by item', async () => {
    const { steps, ledger } = await run(32, {
      views: still('three views', 3),
      each: large({ $each: 'views' }),
    });
    expect(steps['each']).toMatchObject({
      status: 'PARTIAL',
      items: [{ status: 'COMPLETED' }, { status: 'COMPLETED' }, refused],
    });
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

describe.concurrent('a Reset of a pipeline with a budget', () => {
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
