import { randomUUID } from 'node:crypto';
import proto, { type temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { submitQueue } from '../../../src/contract/submit-queue.ts';
import type { SubmitTaskInput } from '../../../src/contract/submit-task.ts';
import { connectWorker } from '../../../src/temporal/connection.ts';
import { eventually, FAST, type Generation, image, openWorld, type World } from '../world.ts';

const POSTER = { id: 'tpl_poster', name: 'Poster', model: 'image-l', workspace: null };
const PAIR = { id: 'tpl_pair', name: 'Pair', model: 'image-l', workspace: null };

/** What the configuration of that service calls a template. */
const FIELD = 'preset';

let world: World;
beforeAll(async () => {
  const templates = [
    { ...POSTER, input: { prompt: 'a poster', aspect_ratio: '3:4' } },
    { ...PAIR, input: { prompt: 'a pair', n: 2 } },
  ];
  world = await openWorld({ emulator: { templates } });
});
afterAll(() => world.close());

const STARTED = proto.temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED;

/** Waits until one of the run's activities is as it says. */
async function isPending(
  handle: Generation,
  is: (activity: temporal.api.workflow.v1.IPendingActivityInfo) => boolean,
): Promise<void> {
  await eventually(async () => {
    const { raw } = await handle.describe();
    expect(raw.pendingActivities?.some(is)).toBe(true);
  });
}

/** The record's input of the task that a generation has bought. */
const inputOf = (taskId: string): unknown => world.emulator.service().tasks.get(taskId)?.input;

describe.concurrent('a generation from a template', () => {
  it('leaves open what the template has, and says the rest itself', async () => {
    const bare = await world.generate({
      model: 'image-l',
      input: {},
      templateId: POSTER.id,
      policy: FAST,
    });
    expect(inputOf(bare.taskId)).toEqual({ prompt: 'a poster', aspect_ratio: '3:4', n: 1 });
    const own = await world.generate({
      model: 'image-l',
      input: { aspect_ratio: '1:1' },
      templateId: POSTER.id,
      policy: FAST,
    });
    expect(inputOf(own.taskId)).toEqual({ prompt: 'a poster', aspect_ratio: '1:1', n: 1 });
    expect(world.emulator.service().tasks.get(own.taskId)?.template).toMatchObject({ id: POSTER.id });
  });

  it('that does not exist fails at once, and nothing is bought', async () => {
    const handle = await world.start({ ...image('of none'), templateId: 'tpl_none' });
    expect(await world.failureOf(handle)).toMatchObject({
      type: 'TEMPLATE_NOT_FOUND',
      details: { attempts: [{ outcome: 'rejected', code: 'TEMPLATE_NOT_FOUND' }] },
    });
    expect(world.bought(handle)).toEqual([]);
  });

  it('is checked like any other in what it says itself', async () => {
    const refused = await world.fail({ model: 'image-l', input: { aspect_ratio: '5:1' }, templateId: 'a b' });
    expect(refused.type).toBe('INVALID_REQUEST');
    expect(refused.details.errors?.map(({ path }) => path)).toEqual(['input.aspect_ratio', 'templateId']);
    const misplaced = await world.fail({ model: 'image-l', input: { prompt: 'x', template_id: POSTER.id } });
    expect(misplaced.details.errors).toEqual([
      {
        path: 'input.template_id',
        message: 'names a template: that is templateId, which stands beside the input',
      },
    ]);
  });

  it('whose answer gets lost takes the task of its own template, whatever else is like it', async () => {
    const prompt = randomUUID();
    world.loseAnswer(prompt, 3);
    const request = image(prompt);
    const handles = await Promise.all([
      world.start({ ...request, templateId: POSTER.id }),
      world.start({ ...request, templateId: PAIR.id }),
      world.start(request),
    ]);
    const adopted = await Promise.all(handles.map((handle) => handle.result()));
    for (const [index, { taskId, attempts }] of adopted.entries()) {
      expect(attempts).toMatchObject([{ taskId, adopted: true }]);
      expect(world.bought(handles[index] ?? { workflowId: '' })).toEqual([taskId]);
    }
    expect(
      adopted.map(({ taskId }) => world.emulator.service().tasks.get(taskId)?.template?.id ?? null),
    ).toEqual([POSTER.id, PAIR.id, null]);
  });
});

it('is never bought without the template by a worker of a release that knows none', async () => {
  const request = { model: 'image-l', input: {}, templateId: POSTER.id, policy: FAST };
  const gate = Promise.withResolvers<void>();
  const old: unknown[] = [];
  // Its one place for submits is taken, so it is the old worker that gets what is submitted next.
  const busy = await openWorld({
    emulator: { templates: [{ ...POSTER, input: { prompt: 'a poster' } }] },
    activitySlots: 1,
    activities: (own) => ({
      ...own,
      async submitTask(input) {
        await gate.promise;
        return await own.submitTask(input);
      },
    }),
  });
  try {
    const { temporal, taskQueue } = busy.config;
    const policy = { ...FAST, submit: { timeout: '5m', heartbeat: '5m' } };
    const first = await busy.start(image('takes the place', policy));
    await isPending(first, ({ state }) => state === STARTED);
    const connection = await connectWorker(temporal);
    const worker = await Worker.create({
      connection,
      namespace: temporal.namespace,
      taskQueue: submitQueue(taskQueue),
      activities: {
        submitTask: async ({ templateId }: SubmitTaskInput) => {
          old.push(templateId);
          throw new Error('this one would have bought, without the template');
        },
      },
    });
    const second = await busy.start(request);
    await worker.runUntil(isPending(second, ({ attempt }) => (attempt ?? 0) > 1));
    await connection.close();
    gate.resolve();
    await first.result();
    const { taskId } = await second.result();
    expect(busy.emulator.service().tasks.get(taskId)?.template).toMatchObject({ id: POSTER.id });
    expect(old).toEqual([]);
  } finally {
    gate.resolve();
    await busy.close();
  }
});

it('a template is named as the configuration says that the service calls it', async () => {
  const other = await openWorld({
    emulator: {
      templates: [{ ...POSTER, input: { prompt: 'a poster' } }],
      assumptions: { templateField: FIELD },
    },
    config: { models: { 'image-l': { templateField: FIELD } } },
  });
  try {
    const { taskId } = await other.generate({
      model: 'image-l',
      input: {},
      templateId: POSTER.id,
      policy: FAST,
    });
    expect(other.emulator.service().tasks.get(taskId)?.template).toMatchObject({ id: POSTER.id });
  } finally {
    await other.close();
  }
});
