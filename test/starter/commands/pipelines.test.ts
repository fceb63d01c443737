import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, FAST } from '../../workflows/world.ts';
import { openStarterWorld, POLICY, type StarterWorld } from '../starter-world.ts';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

describe('starter run, show and rerun', () => {
  const example = fileURLToPath(new URL('../../../examples/lighthouse.json', import.meta.url));

  it('runs a pipeline; a rerun with one step changed buys only what depends on it', async () => {
    const id = randomUUID();
    const first = await world.runHere('run', example, '--id', id);
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/still \(image-l\) +│ completed/);
    expect(first.stderr).toMatch(/^clip \(video-f\): completed/m);

    const again = await world.runHere(
      'rerun',
      `pipeline/${id}`,
      '--set',
      'clip.duration=2',
      '--id',
      `${id}-2`,
      '--json',
    );
    expect(again.json()).toMatchObject({
      status: 'COMPLETED',
      steps: {
        still: { reused: true, workflowId: `pipeline/${id}/still` },
        large: { reused: true },
        clip: { result: { outputs: [{ duration: expect.anything() as unknown }] } },
      },
      usage: { total: 10 },
    });
    expect(world.charges(`pipeline/${id}-2/clip`)).toHaveLength(1);
  });

  it('shows a finished pipeline with its steps, their cost and where to look', async () => {
    const id = randomUUID();
    await world.runHere('run', example, '--id', id);
    const { json } = await world.runHere('show', `pipeline/${id}`, '--json');
    expect(json()).toMatchObject({
      workflowId: `pipeline/${id}`,
      type: 'pipeline',
      status: 'COMPLETED',
      summary: 'image-l → upscale-q → video-f: a lighthouse at dawn, waves breaking on the rocks',
      result: { steps: { still: { status: 'COMPLETED' } }, usage: { total: 27 } },
      failure: null,
      webUi: `http://ui.example/namespaces/default/workflows/pipeline%2F${id}`,
    });
    const { stdout } = await world.runHere('show', `pipeline/${id}`);
    expect(stdout).toMatch(/clip \(video-f\) +│ completed/);
  });

  it('shows of a failed pipeline what became of each step and what was spent', async () => {
    const id = randomUUID();
    const steps = {
      good: { model: 'image-l', input: { prompt: 'good' } },
      bad: { model: 'image-l', input: { prompt: 'bad [[reject]]' } },
    };
    const file = await world.file(`${id}.json`, { steps });
    expect(await world.runHere('run', file, '--id', id)).toMatchObject({ code: 1 });
    const { stdout } = await world.runHere('show', `pipeline/${id}`);
    expect(stdout).toMatch(/good \(image-l\) +│ completed/);
    expect(stdout).toMatch(/bad +│ failed +│ \(rejected\) +│ 1 +│ 0 /);
    expect(stdout).toMatch(/^bad failed: IMAGE_GENERATION_CONTENT_REJECTED: /m);
    expect(stdout).toMatch(/^Pipeline partial, 8 credits/m);
  });

  it('runs a finished generation again without buying it again', async () => {
    const id = randomUUID();
    await world.runHere('generate', 'image-l', 'prompt=once', '--id', id, '--policy', POLICY);
    const { code, json } = await world.runHere('rerun', `generation/${id}`, '--json');
    expect(code).toBe(0);
    expect(json()).toMatchObject({ attempts: [{ adopted: true }] });
    expect(world.charges(`generation/${id}`)).toHaveLength(1);
  });

  it('goes on with a pipeline that had come to the end of its budget, with more', async () => {
    const id = randomUUID();
    const steps = {
      still: { model: 'image-l', input: { prompt: 'all there is' } },
      large: { model: 'upscale-q', input: { image_url: { $from: 'still' } } },
    };
    const path = await world.file(`${id}.json`, { steps, budget: { credits: 8 } });
    const first = await world.runHere('run', path, '--id', id);
    expect(first.code).toBe(1);
    const next = `rerun pipeline/${id} --set budget.credits=16`;
    expect(first.stderr).toContain('Next: Try again with a larger budget');
    expect(first.stderr).toContain(`npm run starter -- ${next}\n`);
    const { json } = await world.runHere(...next.split(' '), '--json');
    expect(json()).toMatchObject({
      status: 'COMPLETED',
      steps: { still: { reused: true }, large: { status: 'COMPLETED' } },
    });
  });

  it('goes on by a retry where a task may still end: that takes it over, as a rerun would not', async () => {
    const id = randomUUID();
    world.fault({ on: 'task', match: { promptIncludes: id }, times: 1, fault: { kind: 'hang' } });
    const slow = { model: 'image-l', input: { prompt: id }, policy: { deadline: '400ms' } };
    const path = await world.file(`${id}.json`, { steps: { slow } });
    const first = await world.runHere('run', path, '--id', id);
    const next = `retry pipeline/${id}`;
    expect(first.stderr).toContain(`\n  npm run starter -- ${next}\n`);
    const [taskId] = world.bought({ workflowId: `pipeline/${id}/slow` });
    await fetch(`${world.emulator.controlUrl}/tasks/${taskId}/finish`, { method: 'POST' });
    expect(await world.runHere(...next.split(' '))).toMatchObject({ code: 0 });
    const { json } = await world.runHere('watch', `pipeline/${id}`, '--json');
    expect(json()).toMatchObject({ status: 'COMPLETED', steps: { slow: { result: { taskId } } } });
    expect(world.bought({ workflowId: `pipeline/${id}/slow` })).toEqual([taskId]);
  });

  it('goes on by a retry where it was cancelled: that takes over the task that it left at the API', async () => {
    const workflowId = `pipeline/${randomUUID()}`;
    const child = { workflowId: `${workflowId}/slow` };
    world.fault({ on: 'task', match: { promptIncludes: workflowId }, times: 1, fault: { kind: 'hang' } });
    const slow = { model: 'image-l', input: { prompt: workflowId } };
    await world.pipeline({ policy: FAST, steps: { slow } }, workflowId);
    await eventually(() => world.until(world.client.workflow.getHandle(child.workflowId), 'waiting'));
    const canceled = await world.runHere('cancel', workflowId);
    expect(canceled).toMatchObject({ code: 0, stdout: expect.stringContaining(`retry ${workflowId}`) });
    const next = `retry ${workflowId}`;
    const told = expect.stringContaining(`\n  npm run starter -- ${next}\n`) as unknown;
    expect(await world.runHere('watch', workflowId)).toMatchObject({ stderr: told });
    expect(await world.runHere('show', workflowId)).toMatchObject({ stdout: told });
    const [taskId] = world.bought(child);
    await fetch(`${world.emulator.controlUrl}/tasks/${taskId}/finish`, { method: 'POST' });
    expect(await world.runHere(...next.split(' '))).toMatchObject({ code: 0 });
    const { json } = await world.runHere('watch', workflowId, '--json');
    expect(json()).toMatchObject({ status: 'COMPLETED', steps: { slow: { result: { taskId } } } });
    expect(world.bought(child)).toEqual([taskId]);
  });

  it('says before a rerun what it buys and what it reuses; that is what is charged then', async () => {
    const id = randomUUID();
    const steps = {
      stills: { model: 'image-l', input: { prompt: `a pier ${id}`, n: 2 } },
      large: { model: 'upscale-q', input: { image_url: { $each: 'stills' } } },
      clip: {
        model: 'video-f',
        input: { prompt: 'zoom', duration: 2, first_frame_url: { $from: 'large', output: 1 } },
      },
    };
    const path = await world.file(`${id}.json`, { steps });
    await world.runHere('run', path, '--id', id);

    for (const [change, what] of [
      ['clip.duration=4', { bought: 1, reused: 3, unknownPrices: 0 }],
      ['stills.prompt=a beach', { bought: 4, reused: 0, unknownPrices: 0 }],
      ['budget.credits=1000', { bought: 0, reused: 4, credits: 0 }],
    ] as const) {
      const rerun = ['rerun', `pipeline/${id}`, '--set', change, '--id', `${id}-${change.slice(0, 8)}`];
      const plan = await world.runHere(...rerun, '--dry-run', '--json');
      expect(plan.json()).toMatchObject(what);
      const again = await world.runHere(...rerun, '--json');
      expect(again.stderr).toContain(`${what.reused} reused`);
      const { charged } = again.json() as { charged: { total: number } };
      const { credits } = plan.json() as { credits: number };
      expect(charged.total).toBe(credits);
    }
    const change = ['--set', 'clip.duration=4', '--id', `${id}-clip.dur`];
    const there = await world.runHere('rerun', `pipeline/${id}`, ...change, '--dry-run');
    expect(there.stdout).toBe(`pipeline/${id}-clip.dur exists already: nothing new is bought\n`);
  });

  it('tells the price of three pictures by that of one', async () => {
    const id = randomUUID();
    const views = (n: number) => ({
      model: 'image-l',
      input: { prompt: `a bay ${id}`, n, resolution: '2K' },
    });
    await world.generate({ ...views(1), policy: FAST });
    const steps = { a: views(3), b: views(3), c: views(3) };
    const path = await world.file(`${id}.json`, { steps, policy: FAST });
    const run = ['run', path, '--id', id];
    await eventually(async () =>
      expect((await world.runHere(...run, '--dry-run', '--json')).json()).toMatchObject({ unknownPrices: 0 }),
    );
    const { credits } = (await world.runHere(...run, '--dry-run', '--json')).json() as { credits: number };
    const { charged } = (await world.runHere(...run, '--json')).json() as { charged: { total: number } };
    expect(charged.total).toBe(credits);
    expect(credits).toBeGreaterThan(0);
  });

  it('tells by a dry run what a new pipeline would cost, and starts nothing', async () => {
    const id = randomUUID();
    const { code, stdout } = await world.runHere('run', example, '--id', id, '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain('3 generations to buy');
    expect(await world.runHere('show', `pipeline/${id}`)).toMatchObject({ code: 1 });
  });

  it('refuses in a dry run a key that belongs to another request, as the start does', async () => {
    const id = randomUUID();
    const pipeline = (prompt: string) =>
      world.file(`${randomUUID()}.json`, {
        policy: FAST,
        steps: { still: { model: 'image-l', input: { prompt } } },
      });
    await world.runHere('run', await pipeline('mine'), '--id', id);
    const dry = await world.runHere('run', await pipeline('another'), '--id', id, '--dry-run', '--json');
    expect(dry.code).toBe(2);
    expect(dry.json()).toMatchObject({ error: { type: 'KEY_IN_USE' } });
  });
});
