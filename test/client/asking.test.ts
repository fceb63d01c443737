import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DarkroomClient,
  InvalidRequestError,
  type ListFilter,
  PipelineFailedError,
  WorkflowUpdateFailedError,
} from '../../src/client/index.ts';
import { rejection } from '../rejection.ts';
import { eventually, FAST, image, openWorld, WEBHOOK_ONLY, type World } from '../workflows/world.ts';

let world: World;
let darkroom: DarkroomClient;

beforeAll(async () => {
  world = await openWorld();
  darkroom = new DarkroomClient(world.client, { taskQueue: world.config.taskQueue });
});
afterAll(() => world.close());

describe('what a service asks of runs', () => {
  it('finds them by tag, state, model and time, a page at a time', async () => {
    const order = randomUUID();
    const since = new Date();
    for (const prompt of ['one', 'two', 'three'])
      await darkroom.generate('image-l', { prompt }, { policy: FAST, tags: { order } });
    await darkroom.generate('image-l', { prompt: 'another order' }, { policy: FAST });
    const find = async (): Promise<string[]> => {
      const found: string[] = [];
      for (let from: string | null | undefined; from !== null; ) {
        const page = await darkroom.list({
          tags: { order },
          state: 'completed',
          model: 'image-l',
          workspace: 'default',
          since,
          limit: 2,
          from,
        });
        expect(page.runs.length).toBeLessThanOrEqual(2);
        found.push(...page.runs.map(({ workflowId }) => workflowId));
        from = page.next;
      }
      return found;
    };
    await eventually(async () => expect(new Set(await find()).size).toBe(3));
    expect((await darkroom.list({ tags: { order }, until: since })).runs).toEqual([]);
  });

  it('finds by tag what another client has started', async () => {
    const order = randomUUID();
    const handle = await world.start({ ...image('by hand'), tags: { order } });
    await handle.result();
    await eventually(async () =>
      expect((await darkroom.list({ tags: { order } })).runs).toMatchObject([
        { workflowId: handle.workflowId },
      ]),
    );
  });

  it('finds by each condition alone what meets it', async () => {
    const order = randomUUID();
    const tags = { order };
    const options = { policy: FAST, tags };
    const began = new Date();
    const one = await darkroom.start('image-l', { prompt: 'one' }, options);
    const other = await darkroom.start('image-m', { prompt: 'other' }, options);
    const bad = await darkroom.start('image-l', { prompt: '[[reject]]' }, options);
    const steps = { only: { model: 'image-l', input: { prompt: 'step' } } };
    const film = await darkroom.start({ steps, ...options });
    await Promise.allSettled([one, other, bad, film].map((run) => run.result()));
    const ended = new Date();
    const step = `${film.workflowId}/only`;
    const [a, b, c, p] = [one, other, bad, film].map(({ workflowId }) => workflowId);
    const found: [filter: ListFilter, ids: unknown[]][] = [
      [{}, [a, b, c, p, step]],
      [{ type: 'pipeline' }, [p]],
      [{ type: 'generation' }, [a, b, c, step]],
      [{ state: 'failed' }, [c]],
      [{ state: 'Completed' }, [a, b, p, step]],
      [{ model: 'image-m' }, [b]],
      [{ workspace: 'default' }, [a, b, c, p, step]],
      [{ workspace: 'films' }, []],
      [{ since: began }, [a, b, c, p, step]],
      [{ since: ended }, []],
      [{ until: ended }, [a, b, c, p, step]],
      [{ until: began }, []],
    ];
    for (const [filter, ids] of found)
      await eventually(async () => {
        const { runs } = await darkroom.list({ ...filter, tags });
        const listed = runs.map(({ workflowId }) => workflowId);
        expect({ filter, ids: listed.toSorted() }).toEqual({ filter, ids: ids.toSorted() });
      });
    expect(await rejection(darkroom.list({ limit: 0 }))).toBeInstanceOf(RangeError);
  });

  it('tells of one run what it was started with and how it has ended', async () => {
    const good = await darkroom.start('image-l', { prompt: 'fine' }, { policy: FAST });
    await good.result();
    expect(await darkroom.get(good.workflowId)).toMatchObject({
      type: 'generation',
      status: 'COMPLETED',
      model: 'image-l',
      request: { input: { prompt: 'fine' } },
      result: { status: 'COMPLETED' },
      error: null,
    });
    const bad = await darkroom.start({
      steps: { one: { model: 'image-l', input: { prompt: '[[reject]]' } } },
    });
    await rejection(bad.result());
    const { error, result } = await darkroom.get(bad.workflowId);
    expect(error).toBeInstanceOf(PipelineFailedError);
    expect(result).toBeNull();
  });

  it('tells of an open run what it is doing, and ends it', async () => {
    const prompt = randomUUID();
    world.loseWebhooks(prompt);
    const { workflowId } = await darkroom.start('image-l', { prompt }, { policy: WEBHOOK_ONLY });
    await eventually(async () =>
      expect(await darkroom.get(workflowId)).toMatchObject({
        status: 'RUNNING',
        progress: { state: 'waiting' },
      }),
    );
    await darkroom.cancel(workflowId);
    await eventually(async () =>
      expect(await darkroom.get(workflowId)).toMatchObject({
        status: 'CANCELLED',
        error: { code: 'CANCELLED' },
      }),
    );
  });

  it('tries a failed key again in one call, and pays for no more than what had failed', async () => {
    const prompt = randomUUID();
    world.fault({
      on: 'submit',
      match: { promptIncludes: prompt },
      times: 1,
      fault: { kind: 'error', code: 'UNAUTHORIZED' },
    });
    const key = randomUUID();
    const error = await rejection(darkroom.generate('image-l', { prompt }, { key, policy: FAST }));
    expect(error).toMatchObject({ code: 'UNAUTHORIZED', usage: { total: 0 } });
    const again = await darkroom.retry(`generation/${key}`);
    const result = await again.result();
    expect(result).toMatchObject({ status: 'COMPLETED' });
    expect(await darkroom.generate('image-l', { prompt }, { key, policy: FAST })).toEqual(result);
    expect(world.charges(`generation/${key}`)).toHaveLength(1);
  });

  it('runs a pipeline again with one input changed and buys only that step', async () => {
    const steps = {
      kept: { model: 'image-l', input: { prompt: 'kept' } },
      other: { model: 'image-l', input: { prompt: 'before' } },
    };
    const first = await darkroom.start({ steps, policy: FAST });
    await first.result();
    const key = randomUUID();
    const again = await darkroom.rerun(first.workflowId, { key, inputs: { other: { prompt: 'after' } } });
    expect(again.workflowId).toBe(`pipeline/${key}`);
    expect(await again.result()).toMatchObject({
      steps: { kept: { reused: true }, other: { status: 'COMPLETED' } },
      charged: { total: 8 },
    });
  });

  it('runs a pipeline again with the inputs that people gave it', async () => {
    const charges = world.emulator.service().ledger.charges({}).length;
    world.fault({
      on: 'task',
      match: { promptIncludes: 'not good' },
      times: 1,
      fault: { kind: 'fail', code: 'INVALID_INPUT' },
    });
    const steps = {
      shaky: { model: 'image-l', input: { prompt: 'not good' }, onFailure: 'hold' },
      gated: { model: 'image-l', input: { prompt: 'not approved' }, approve: true },
    } as const;
    const first = await darkroom.start({ steps, policy: FAST });
    const until = (step: keyof typeof steps, status: string) =>
      eventually(async () => expect((await first.currentProgress()).steps[step]?.status).toBe(status));
    await until('shaky', 'held');
    await first.decide({ step: 'shaky', action: 'retry', input: { prompt: 'good' } });
    await until('gated', 'approval');
    await first.decide({ step: 'gated', action: 'approve', input: { prompt: 'approved' } });
    const { charged } = await first.result();
    expect(charged.total).toBe(24);
    for (const repeat of ['rerun', 'reset', 'rerun'] as const) {
      const again = await darkroom[repeat](first.workflowId);
      const isReused = repeat === 'rerun' ? { reused: true } : { status: 'COMPLETED' };
      expect(await again.result()).toMatchObject({ steps: { shaky: isReused, gated: isReused } });
    }
    expect(world.emulator.service().ledger.charges({})).toHaveLength(charges + 3);
  });

  it('resets a pipeline, which takes over the task that had not ended in time', async () => {
    const prompt = randomUUID();
    const release = world.hold(prompt);
    const steps = { late: { model: 'image-l', input: { prompt } } };
    const handle = await darkroom.start({ steps, policy: { ...FAST, deadline: '300ms' } });
    const error = await rejection(handle.result());
    expect(error).toBeInstanceOf(PipelineFailedError);
    expect(error).toHaveProperty('advice', expect.stringContaining('darkroom.retry('));
    expect(error).toHaveProperty('cause.type', 'TASK_OVERDUE');
    const step = { workflowId: `${handle.workflowId}/late` };
    const bought = world.bought(step);
    release();
    await eventually(() =>
      expect(world.emulator.service().tasks.get(bought[0] ?? '')?.status).toBe('COMPLETED'),
    );
    const again = await darkroom.reset(handle.workflowId);
    expect(again.workflowId).toBe(handle.workflowId);
    expect(await again.result()).toMatchObject({ status: 'COMPLETED' });
    expect(world.bought(step)).toEqual(bought);
  });

  it('refuses a rerun of a pipeline that runs: both would buy the same', async () => {
    const prompt = randomUUID();
    const release = world.hold(prompt);
    const steps = { slow: { model: 'image-l', input: { prompt } } };
    const handle = await darkroom.start({ steps, policy: FAST });
    await eventually(() => expect(world.charges(`${handle.workflowId}/slow`)).toHaveLength(1));
    const error = await rejection(darkroom.rerun(handle.workflowId));
    expect(error).toMatchObject({
      name: 'RerunRefusedError',
      message: expect.stringContaining('still runs: watch it to its end, reset it, or cancel it'),
    });
    release();
    expect(await handle.result()).toMatchObject({ charged: { total: 8 } });
    const again = await darkroom.rerun(handle.workflowId);
    expect(await again.result()).toMatchObject({ steps: { slow: { reused: true } }, charged: { total: 0 } });
  });

  it('refuses a rerun that would be another purchase', async () => {
    const { workflowId } = await darkroom.start('image-l', { prompt: 'as it is' }, { policy: FAST });
    const changed = darkroom.rerun(workflowId, { inputs: { x: { prompt: 'other' } } });
    expect(await rejection(changed)).toMatchObject({ name: 'RerunRefusedError' });
  });

  it('lets a person decide about a step of a pipeline', async () => {
    const { workflowId } = await darkroom.start({
      steps: { asked: { model: 'image-l', input: { prompt: 'may I?' }, approve: true } },
      policy: FAST,
    });
    await eventually(async () =>
      expect(await darkroom.get(workflowId)).toMatchObject({
        progress: { steps: { asked: { status: 'approval' } } },
      }),
    );
    expect(await rejection(darkroom.decide(workflowId, { action: 'fail' }))).toBeInstanceOf(TypeError);
    await darkroom.decide(workflowId, { action: 'approve', step: 'asked' });
    expect(await (await darkroom.attach(workflowId)).result()).toMatchObject({ status: 'COMPLETED' });
  });

  it('lets a person decide about a generation whose answer got lost', async () => {
    const prompt = randomUUID();
    world.fault({
      on: 'submit',
      match: { promptIncludes: prompt },
      times: 1,
      fault: { kind: 'lost-before' },
    });
    const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } } as const;
    const run = await darkroom.start('image-l', { prompt }, { policy });
    const { workflowId } = run;
    await eventually(async () =>
      expect((await darkroom.list({ state: 'needs a decision' })).runs).toMatchObject([{ workflowId }]),
    );
    const ofStep = rejection(darkroom.decide(workflowId, { action: 'approve', step: 'asked' }));
    expect(await ofStep).toBeInstanceOf(TypeError);
    expect(await rejection(darkroom.decide(workflowId, { action: 'adopt' }))).toBeInstanceOf(
      WorkflowUpdateFailedError,
    );
    expect(await darkroom.decide(workflowId, { action: 'resubmit' })).toMatchObject({ note: null });
    expect(await run.result()).toMatchObject({
      attempts: [{ outcome: 'unknown' }, { outcome: 'completed' }],
    });
    expect(world.charges(workflowId)).toHaveLength(1);
  });

  it('names every field in which a request differs from the one that has its key', async () => {
    const key = randomUUID();
    await darkroom.start('image-l', { prompt: 'one', n: 1 }, { key, policy: FAST });
    const other = darkroom.start(
      'image-l',
      { prompt: 'two', n: 2 },
      { key, workspace: 'films', policy: FAST },
    );
    expect(await rejection(other)).toMatchObject({
      differences: ['input.prompt', 'input.n', 'workspace'],
      message: `generation/${key} was started with another input.prompt, input.n and workspace; use another key for another request`,
    });
  });

  it('reports every wrong field of a request in the message', async () => {
    // @ts-expect-error n is a number
    const error = await rejection(darkroom.generate('image-l', { n: 'many', prompt: 'x' }));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({
      message: expect.stringContaining('input.n must be an integer from 1 to 4'),
    });
  });
});
