import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAST, openWorld, type World } from '../world.ts';

const policy = FAST;

let world: World;
beforeAll(async () => {
  const template = { name: 'Stills', model: 'image-l', workspace: null };
  world = await openWorld({
    emulator: {
      templates: [
        { ...template, id: 'tpl_three', input: { prompt: 'three of them', n: 3 } },
        { ...template, id: 'tpl_other', input: { prompt: 'others', n: 3 } },
      ],
    },
  });
});
afterAll(() => world.close());

const still = (templateId: string) => ({ model: 'image-l', input: {}, templateId });
const large = (output: number) => ({
  model: 'upscale-q',
  input: { image_url: { $from: 'still', output } },
});

describe.concurrent('a step from a template', () => {
  it('may make more than its own input says, and others use it', async () => {
    const handle = await world.pipeline({ policy, steps: { still: still('tpl_three'), large: large(2) } });
    const { steps } = await handle.result();
    expect(steps['still']).toMatchObject({ result: { outputs: [{}, {}, {}] } });
    expect(steps['large']).toMatchObject({ status: 'COMPLETED' });
  });

  it('is refused an output that its model never makes', async () => {
    const handle = await world.pipeline({ policy, steps: { still: still('tpl_three'), large: large(4) } });
    const { details } = await world.failureOf<{ errors: object[] }>(handle);
    expect(details.errors).toEqual([
      {
        path: 'steps.large.input.image_url',
        message: 'step still has no output 4: its outputs are 0 to 3',
      },
    ]);
  });

  it('is not bought again by a pipeline that reuses it, and is where it names another template', async () => {
    const id = `pipeline/${randomUUID()}`;
    const steps = { still: still('tpl_three') };
    const first = await (await world.pipeline({ policy, steps }, id)).result();
    const same = await (await world.pipeline({ policy, steps, reuse: id })).result();
    expect(same.steps['still']).toMatchObject({ reused: true, workflowId: `${id}/still` });
    const other = await world.pipeline({ policy, steps: { still: still('tpl_other') }, reuse: id });
    const { steps: bought, usage } = await other.result();
    expect(bought['still']).not.toHaveProperty('reused');
    expect(usage.total).toBe(first.usage.total);
  });
});
