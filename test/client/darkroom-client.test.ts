import { randomUUID } from 'node:crypto';
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
import { rejection } from '../rejection.ts';
import { resetRun } from '../reset-run.ts';
import { FAST, openWorld, WEBHOOK_ONLY, type World } from '../workflows/world.ts';

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

  it('shows in the Web UI what it is about', async () => {
    const { workflowId } = await darkroom.start('image-l', { prompt: 'a red fox in snow' }, { policy: FAST });
    const description = await world.client.workflow.getHandle(workflowId).describe();
    expect(await description.staticSummary()).toBe('image-l: a red fox in snow');
    expect(await description.staticDetails()).toContain('"prompt": "a red fox in snow"');
    expect(description.priority).toMatchObject({ fairnessKey: 'default' });
  });
});

describe('a generation handle', () => {
  /** A generation that waits for a webhook which never comes. */
  async function waiting(): Promise<GenerationHandle> {
    const prompt = randomUUID();
    world.fault({ on: 'webhook', match: { promptIncludes: prompt }, fault: { kind: 'lost' } });
    const handle = await darkroom.start('image-l', { prompt }, { policy: WEBHOOK_ONLY });
    await vi.waitFor(async () => expect(await handle.currentProgress()).toMatchObject({ state: 'waiting' }), {
      timeout: 60_000,
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
      { timeout: 60_000 },
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

  it('attaches to a pipeline by its workflow id', async () => {
    const steps = { still: { model: 'image-l', input: { prompt: 'attached' } } };
    const { workflowId } = await darkroom.start({ steps, policy: FAST });
    const handle = await darkroom.attach(workflowId);
    expect(handle.kind).toBe('pipeline');
    expect(await handle.result()).toMatchObject({ status: 'COMPLETED' });
  });
});
