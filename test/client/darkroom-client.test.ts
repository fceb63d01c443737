import { randomUUID } from 'node:crypto';
import type { WorkflowStartOptions } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  ContentRejectedError,
  DarkroomClient,
  type GenerationHandle,
  KeyInUseError,
  PipelineFailedError,
  RunCancelledError,
  RunFailedError,
} from '../../src/client/index.ts';
import { startOrAttach } from '../../src/client/starting/start-or-attach.ts';
import type { Resolution } from '../../src/contract/pipeline.ts';
import { requestDigest } from '../../src/contract/purchases/request-digest.ts';
import { patience } from '../patience.ts';
import { rejection } from '../rejection.ts';
import { resetRun } from '../reset-run.ts';
import { chargesBelow, failTasks } from '../workflows/pipeline/steps.ts';
import { eventually, FAST, openWorld, WEBHOOK_ONLY, type World } from '../workflows/world.ts';

let world: World;
let darkroom: DarkroomClient;

beforeAll(async () => {
  world = await openWorld();
  darkroom = new DarkroomClient(world.client, { taskQueue: world.config.taskQueue });
});
afterAll(() => world.close());

describe('DarkroomClient.generate', () => {
  it('buys once for a key, however often and from wherever it is called', async () => {
    const key = randomUUID();
    const call = (): ReturnType<DarkroomClient['generate']> =>
      darkroom.generate('image-l', { prompt: 'a red fox in snow' }, { key, policy: FAST });
    const [one, two] = await Promise.all([call(), call()]);
    const three = await call();
    expect(two).toEqual(one);
    expect(three).toEqual(one);
    expect(world.charges(`generation/${key}`)).toHaveLength(1);
  });

  it('is refused a key that another request has, running or closed', async () => {
    const key = randomUUID();
    await darkroom.start('image-l', { prompt: 'one' }, { key, policy: FAST });
    const other = darkroom.start('image-l', { prompt: 'two' }, { key, policy: FAST });
    expect(await rejection(other)).toBeInstanceOf(KeyInUseError);
    await darkroom.generate('image-l', { prompt: 'one' }, { key });
    expect(await rejection(darkroom.generate('image-m', { prompt: 'one' }, { key }))).toMatchObject({
      message: `generation/${key} was started with another model; use another key for another request`,
    });
  });

  it('makes from a template what the input leaves open; the template is part of the purchase', async () => {
    for (const id of ['tpl_a', 'tpl_b'])
      world.emulator
        .service()
        .templates.create({ id, name: id, model: null, workspace: null, input: { prompt: `as ${id} says` } });
    const key = randomUUID();
    const made = await darkroom.generate('image-l', {}, { key, templateId: 'tpl_a', policy: FAST });
    expect(made.data).toMatchObject({ actual_prompt: 'as tpl_a says' });
    const again = await darkroom.generate('image-l', {}, { key, templateId: 'tpl_a' });
    expect(again.taskId).toBe(made.taskId);
    const other = darkroom.generate('image-l', {}, { key, templateId: 'tpl_b' });
    expect(await rejection(other)).toMatchObject({
      message: `generation/${key} was started with another templateId; use another key for another request`,
    });
  });

  it('is refused a key that a pipeline with other parameters has', async () => {
    const key = randomUUID();
    const steps = { still: { model: 'image-l', input: { prompt: { $param: 'city' } } } };
    const start = (city: string) => darkroom.start({ steps, params: { city }, policy: FAST }, { key });
    await start('Oslo');
    await start('Oslo');
    expect(await rejection(start('Rome'))).toMatchObject({ message: expect.stringContaining('params') });
  });

  it('fails with the code of the API and what was tried', async () => {
    const error = await rejection(darkroom.generate('image-l', { prompt: '[[reject]]' }, { policy: FAST }));
    expect(error).toBeInstanceOf(ContentRejectedError);
    expect(error).toBeInstanceOf(RunFailedError);
    expect(error).toMatchObject({
      type: 'IMAGE_GENERATION_CONTENT_REJECTED',
      details: { attempts: [{ outcome: 'rejected' }], usage: { total: 0 } },
    });
  });

  it('starts anew under a key whose run was refused before anything was bought, with another request, too', async () => {
    const key = randomUUID();
    const make = (prompt: string) => darkroom.generate('image-l', { prompt }, { key, policy: FAST });
    expect(await rejection(make('[[reject]]'))).toBeInstanceOf(ContentRejectedError);
    const [one, two] = await Promise.all([make('a red fox'), make('a red fox')]);
    expect(two).toEqual(one);
    expect(world.charges(`generation/${key}`)).toHaveLength(1);
    expect(await rejection(make('[[reject]]'))).toBeInstanceOf(KeyInUseError);
  });

  it('starts anew once, where two do it at the same time and the first one has bought something in vain by then', async () => {
    const workflowId = `generation/${randomUUID()}`;
    const policy = { ...FAST, retries: { FAILED: { resubmissions: 0 } } };
    const request = (prompt: string) => ({ model: 'image-l', input: { prompt }, policy });
    await world.failureOf(await world.start(request('[[reject]]'), workflowId));
    const fault = { kind: 'fail', code: 'FAILED' } as const;
    world.fault({ on: 'task', match: { promptIncludes: workflowId }, fault });
    const { taskQueue } = world.config;
    const start = { kind: 'generation', workflowId, taskQueue, request: request(workflowId) } as const;
    const held = Promise.withResolvers<void>();
    const slow = { isWaiting: false };
    const workflow = new Proxy(world.client.workflow, {
      get: (target, name) => {
        if (name !== 'start') return Reflect.get(target, name, target) as unknown;
        return async (type: string, options: WorkflowStartOptions) => {
          slow.isWaiting = options.workflowIdReusePolicy === 'ALLOW_DUPLICATE_FAILED_ONLY';
          if (slow.isWaiting) await held.promise;
          return await target.start(type, options);
        };
      },
    });
    const second = startOrAttach(
      new Proxy(world.client, {
        get: (target, name) =>
          name === 'workflow' ? workflow : (Reflect.get(target, name, target) as unknown),
      }),
      start,
    );
    await eventually(() => expect(slow.isWaiting).toBe(true));
    const first = await startOrAttach(world.client, start);
    await world.failureOf(world.client.workflow.getHandle(workflowId, first.runId));
    held.resolve();
    expect((await second).runId).toBe(first.runId);
    expect(world.charges(workflowId)).toHaveLength(1);
    const other = { ...start, request: request('another request') };
    expect(await rejection(startOrAttach(world.client, other))).toBeInstanceOf(KeyInUseError);
  });

  it('starts anew under a key that another client has used for a request that is wrong', async () => {
    const key = randomUUID();
    const wrong = await world.start({ model: 'image-l', input: { n: 'many' } }, `generation/${key}`);
    expect(await world.failureOf(wrong)).toMatchObject({ type: 'INVALID_REQUEST' });
    const made = await darkroom.generate('image-l', { prompt: 'a red fox' }, { key, policy: FAST });
    expect(made.attempts).toHaveLength(1);
  });

  it('attaches to a failure under a key that has bought something, or may have', async () => {
    const key = randomUUID();
    const policy = { ...FAST, retries: { FAILED: { resubmissions: 0 } } };
    const fault = { kind: 'fail', code: 'FAILED' } as const;
    world.fault({ on: 'task', match: { promptIncludes: key }, times: 1, fault });
    const make = () => darkroom.generate('image-l', { prompt: key }, { key, policy });
    const one = await rejection(make());
    expect(one).toMatchObject({ attempts: [{ outcome: 'failed' }] });
    expect(await rejection(make())).toMatchObject({ attempts: (one as RunFailedError).attempts });
    expect(world.charges(`generation/${key}`)).toHaveLength(1);
    const lost = randomUUID();
    world.loseAnswer(lost);
    world.loseWebhooks(lost);
    const unknown = { ...FAST, reconcile: { wait: '50ms', otherwise: 'fail' } } as const;
    const look = () => darkroom.generate('image-l', { prompt: lost }, { key: lost, policy: unknown });
    expect(await rejection(look())).toMatchObject({ type: 'SUBMISSION_UNKNOWN' });
    expect(await rejection(look())).toMatchObject({ type: 'SUBMISSION_UNKNOWN' });
    expect(world.charges(`generation/${lost}`)).toHaveLength(1);
  });

  it('starts nothing for a request that is wrong', async () => {
    const key = randomUUID();
    // @ts-expect-error n is a number
    const error = await rejection(darkroom.generate('image-l', { prompt: 'x', n: 'many' }, { key }));
    expect(error).toMatchObject({ type: 'INVALID_REQUEST', errors: [{ path: 'input.n' }] });
    const circle = { still: { model: 'upscale-q', input: { image_url: { $from: 'still' } } } };
    expect(await rejection(darkroom.run({ steps: circle }, { key }))).toMatchObject({
      type: 'INVALID_REQUEST',
    });
    for (const kind of ['generation', 'pipeline'])
      await expect(world.client.workflow.getHandle(`${kind}/${key}`).describe()).rejects.toThrow('not found');
  });

  it('warns once of a policy that can hardly be meant, and its run shows it', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const policy = { deadline: 1_000 * 60 * 10, vanished: { wait: 21 } };
    const handles: GenerationHandle[] = [];
    for (let times = 0; times < 2; times += 1)
      handles.push(await darkroom.start('image-l', { prompt: 'soon given up' }, { policy }));
    const doubt = 'policy.vanished.wait is only 21 ms: a task that the API does not show at once is given up';
    expect(warn.mock.calls.filter(([text]) => String(text).includes('21 ms'))).toEqual([
      [expect.stringContaining(doubt), 'DarkroomWarning'],
    ]);
    warn.mockRestore();
    const handle = world.client.workflow.getHandle(handles[0]?.workflowId ?? '');
    await handles[0]?.result();
    expect(await world.details(handle)).toContain(doubt);
  });

  it('shows in the Web UI what it is about', async () => {
    const { workflowId } = await darkroom.start('image-l', { prompt: 'a red fox in snow' }, { policy: FAST });
    const description = await world.client.workflow.getHandle(workflowId).describe();
    expect(await description.staticSummary()).toBe('image-l: a red fox in snow');
    expect(await description.staticDetails()).toContain('"prompt": "a red fox in snow"');
    expect(description.priority).toMatchObject({ fairnessKey: 'default' });
  });

  it('notes what its key stands for in the memo of the run', async () => {
    const input = { prompt: 'a red fox in snow' };
    const tags = { team: 'film' };
    const { workflowId } = await darkroom.start('image-l', input, { policy: FAST, tags });
    const { memo } = await world.client.workflow.getHandle(workflowId).describe();
    expect(memo).toEqual({ request: requestDigest('generation', { model: 'image-l', input }), tags });
  });
});

describe('a generation handle', () => {
  /** A generation that waits for a webhook which never comes. */
  async function waiting(): Promise<GenerationHandle> {
    const prompt = randomUUID();
    world.fault({ on: 'webhook', match: { promptIncludes: prompt }, fault: { kind: 'lost' } });
    const handle = await darkroom.start('image-l', { prompt }, { policy: WEBHOOK_ONLY });
    await vi.waitFor(async () => expect(await handle.currentProgress()).toMatchObject({ state: 'waiting' }), {
      timeout: patience(60_000),
    });
    return handle;
  }

  /** Polls until there is a result: the task is still at work when the first poll comes. */
  async function pollUntilDone(handle: GenerationHandle): Promise<void> {
    let isDone = false;
    void handle.result().finally(() => (isDone = true));
    await vi.waitFor(
      async () => {
        if (!isDone) await handle.checkNow().catch(() => undefined); // it may have ended just now
        expect(isDone).toBe(true);
      },
      { timeout: patience(60_000) },
    );
  }

  it('polls at once when it is told to', async () => {
    const handle = await waiting();
    await pollUntilDone(handle);
    expect(await handle.result()).toMatchObject({ attempts: [{ settledBy: 'poll' }] });
  });

  it('follows the run that a Reset puts in the place of the awaited one', async () => {
    const handle = await waiting();
    const result = handle.result();
    await resetRun(world.client, handle.workflowId);
    await pollUntilDone(handle);
    expect(await result).toMatchObject({ attempts: [{ adopted: true }] });
  });

  it('says of a cancelled one which task goes on and what it cost', async () => {
    const handle = await waiting();
    const { taskId } = await handle.currentProgress();
    await handle.cancel();
    const error = await rejection(handle.result());
    expect(error).toBeInstanceOf(RunCancelledError);
    expect(error).toMatchObject({ type: 'CANCELLED', details: { taskId, usage: { total: 8 } } });
  });
});

describe('DarkroomClient.run', () => {
  it('hands back the result of every step that there is when one fails', async () => {
    const error = await rejection(
      darkroom.run({
        steps: {
          good: { model: 'image-l', input: { prompt: 'fine' } },
          bad: { model: 'image-l', input: { prompt: '[[reject]]' } },
        },
        policy: FAST,
      }),
    );
    expect(error).toBeInstanceOf(PipelineFailedError);
    expect(error).toMatchObject({
      type: 'PIPELINE_FAILED',
      result: { status: 'PARTIAL', steps: { good: { status: 'COMPLETED' }, bad: { status: 'FAILED' } } },
    });
  });

  it('starts anew under a key whose steps were all refused before anything was bought', async () => {
    const key = randomUUID();
    const make = (prompt: string) => {
      const steps = {
        still: { model: 'image-l', input: { prompt } },
        large: { model: 'upscale-q', input: { image_url: { $from: 'still' } } },
      };
      return darkroom.run({ steps, policy: FAST }, { key });
    };
    for (let times = 0; times < 2; times += 1)
      expect(await rejection(make('[[reject]]'))).toMatchObject({ result: { boughtNothing: true } });
    expect(await make('a red fox')).toMatchObject({ status: 'COMPLETED' });
    expect(world.charges(`pipeline/${key}/still`)).toHaveLength(1);
    expect(await rejection(make('[[reject]]'))).toBeInstanceOf(KeyInUseError);
  });

  it.each<[what: string, said: Pick<Resolution, 'action' | 'input'>[]]>([
    ['skipped', [{ action: 'skip' }]],
    [
      'tried again, refused and skipped',
      [{ action: 'retry', input: { prompt: '[[reject]]' } }, { action: 'skip' }],
    ],
  ])('attaches to one whose step has bought something in vain, and was then %s', async (_, said) => {
    const key = randomUUID();
    const workflowId = `pipeline/${key}`;
    failTasks(world, key);
    const make = (prompt: string) => {
      const still = { model: 'image-l', input: { prompt }, onFailure: 'hold' } as const;
      return rejection(darkroom.run({ steps: { still }, policy: FAST }, { key }));
    };
    const first = make(key);
    for (const answer of said) {
      const handle = world.client.workflow.getHandle(workflowId);
      await eventually(() => handle.executeUpdate('resolve', { args: [{ step: 'still', ...answer }] }));
    }
    expect(await first).toMatchObject({ result: { steps: { still: { status: 'SKIPPED' } } } });
    expect(await make(key)).toMatchObject({ result: { steps: { still: { status: 'SKIPPED' } } } });
    expect(chargesBelow(world, workflowId)).toHaveLength(1);
    expect(await make('another request')).toBeInstanceOf(KeyInUseError);
  });

  it('attaches to a pipeline by its workflow id', async () => {
    const steps = { still: { model: 'image-l', input: { prompt: 'attached' } } };
    const { workflowId } = await darkroom.start({ steps, policy: FAST });
    const handle = await darkroom.attach(workflowId);
    expect(handle.kind).toBe('pipeline');
    expect(await handle.result()).toMatchObject({ status: 'COMPLETED' });
  });
});
