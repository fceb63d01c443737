import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAST, image, openWorld, type World } from '../world.ts';

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
