import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAST, openWorld, type World } from '../workflows/world.ts';
import { type Ended, starter } from './run-program.ts';

let world: World;
let folder: string;

beforeAll(async () => {
  world = await openWorld();
  folder = await mkdtemp(join(tmpdir(), 'darkroom-starter-'));
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

function run(...args: string[]): Promise<Ended> {
  return starter(args, settings());
}

function settings(): Record<string, string> {
  const { config, emulator } = world;
  return {
    TEMPORAL_ADDRESS: config.temporal.address,
    TEMPORAL_UI_URL: 'http://ui.example',
    DARKROOM_TASK_QUEUE: config.taskQueue,
    DARKROOM_API_URL: emulator.baseUrl,
    DARKROOM_API_KEY: emulator.apiKey,
  };
}

const policy = JSON.stringify(FAST);

describe('starter generate', () => {
  it('prints the result, and for the same id the same purchase', async () => {
    const id = randomUUID();
    const first = await run(
      'generate',
      'image-l',
      'prompt=a red fox in snow',
      '--id',
      id,
      '--policy',
      policy,
      '--json',
    );
    expect(first.code).toBe(0);
    expect(first.json()).toMatchObject({ model: 'image-l', status: 'COMPLETED', usage: { total: 8 } });
    expect(first.stderr).toContain(`http://ui.example/namespaces/default/workflows/generation%2F${id}`);

    const second = await run('generate', 'image-l', 'prompt=a red fox in snow', '--id', id, '--json');
    expect(second.json()).toEqual(first.json());
    expect(second.stderr).toContain('attached to it, nothing new is bought');
    expect(world.charges(`generation/${id}`)).toHaveLength(1);
  });

  it('refuses an id that belongs to another request', async () => {
    const id = randomUUID();
    await run('generate', 'image-l', 'prompt=one', '--id', id);
    const { code, json } = await run('generate', 'image-l', 'prompt=two', '--id', id, '--json');
    expect(code).toBe(2);
    expect(json()).toMatchObject({ error: { type: 'KEY_IN_USE' } });
  });

  it("prints a failure with the API's code and what was tried, and exits with 1", async () => {
    const args = ['generate', 'image-l', 'prompt=[[reject]]', '--policy', policy];
    const { code, json } = await run(...args, '--json');
    expect(code).toBe(1);
    expect(json()).toMatchObject({
      error: {
        type: 'IMAGE_GENERATION_CONTENT_REJECTED',
        details: { attempts: [{ outcome: 'rejected' }], usage: { total: 0 } },
      },
    });
    const plain = await run(...args);
    expect(plain).toMatchObject({ code: 1, stdout: '' });
    expect(plain.stderr).toContain('IMAGE_GENERATION_CONTENT_REJECTED: ');
  });

  it('takes its input from a file, and fields on top of it', async () => {
    const path = join(folder, 'input.json');
    await writeFile(path, JSON.stringify({ prompt: 'from the file', n: 1 }));
    const { json } = await run('generate', 'image-l', 'n=2', '--input', path, '--json');
    expect(json()).toMatchObject({ data: { n: 2, actual_prompt: 'from the file' }, outputs: [{}, {}] });
  });
});

describe('starter run, show and rerun', () => {
  const example = fileURLToPath(new URL('../../examples/lighthouse.json', import.meta.url));

  it('runs a pipeline; a rerun with one step changed buys only what depends on it', async () => {
    const id = randomUUID();
    const first = await run('run', example, '--id', id);
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/still \(image-l\) +│ completed/);
    expect(first.stderr).toMatch(/^clip \(video-f\): completed/m);

    const again = await run(
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
    await run('run', example, '--id', id);
    const { json } = await run('show', `pipeline/${id}`, '--json');
    expect(json()).toMatchObject({
      workflowId: `pipeline/${id}`,
      type: 'pipeline',
      status: 'COMPLETED',
      summary: 'image-l → upscale-q → video-f: a lighthouse at dawn, waves breaking on the rocks',
      result: { steps: { still: { status: 'COMPLETED' } }, usage: { total: 27 } },
      failure: null,
      webUi: `http://ui.example/namespaces/default/workflows/pipeline%2F${id}`,
    });
    const { stdout } = await run('show', `pipeline/${id}`);
    expect(stdout).toMatch(/clip \(video-f\) +│ completed/);
  });

  it('shows of a failed pipeline what became of each step and what was spent', async () => {
    const id = randomUUID();
    const file = join(folder, `${id}.json`);
    const steps = {
      good: { model: 'image-l', input: { prompt: 'good' } },
      bad: { model: 'image-l', input: { prompt: 'bad [[reject]]' } },
    };
    await writeFile(file, JSON.stringify({ steps }));
    expect(await run('run', file, '--id', id)).toMatchObject({ code: 1 });
    const { stdout } = await run('show', `pipeline/${id}`);
    expect(stdout).toMatch(/good \(image-l\) +│ completed/);
    expect(stdout).toMatch(/bad +│ failed +│ IMAGE_GENERATION_CONTENT_REJECTED: /);
    expect(stdout).toMatch(/^Pipeline partial, 8 credits/m);
  });

  it('refuses a change of a step that does not exist, and buys nothing', async () => {
    const id = randomUUID();
    await run('run', example, '--id', id);
    const { code, stderr } = await run('rerun', `pipeline/${id}`, '--set', 'stil.prompt=x');
    expect(code).toBe(2);
    expect(stderr).toContain('the steps are: still, large, clip');
  });

  it('runs a finished generation again without buying it again', async () => {
    const id = randomUUID();
    await run('generate', 'image-l', 'prompt=once', '--id', id, '--policy', policy);
    const { code, json } = await run('rerun', `generation/${id}`, '--json');
    expect(code).toBe(0);
    expect(json()).toMatchObject({ attempts: [{ adopted: true }] });
    expect(world.charges(`generation/${id}`)).toHaveLength(1);
  });
});

describe('starter decide', () => {
  it('tells a generation that waits for it what to do, and is refused by any other', async () => {
    const id = randomUUID();
    world.fault({ on: 'submit', match: { promptIncludes: id }, times: 1, fault: { kind: 'lost-before' } });
    const handle = await world.start(
      {
        model: 'image-l',
        input: { prompt: id },
        policy: { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } },
      },
      `generation/${id}`,
    );
    await world.until(handle, 'needs a decision');
    const shown = await run('show', `generation/${id}`);
    expect(shown.stdout).toContain(`decide generation/${id} resubmit (or: adopt --task <id>, fail)`);
    expect(shown.stdout).toMatch(/credits before: \d+ at .+, after: \d+ at /);

    expect(await run('decide', `generation/${id}`, 'resubmit')).toMatchObject({ code: 0 });
    expect(await handle.result()).toMatchObject({
      attempts: [{ outcome: 'unknown' }, { outcome: 'completed' }],
    });

    const late = await run('decide', `generation/${id}`, 'fail', '--json');
    expect(late.code).toBe(1);
    expect(late.json()).toMatchObject({ error: { type: 'CLOSED' } });
  });
});

describe('starter watch', () => {
  it('prints the result of a run that somebody else started', async () => {
    const handle = await world.start({ model: 'image-l', input: { prompt: 'seen' }, policy: FAST });
    const { json } = await run('watch', handle.workflowId, '--json');
    expect(json()).toEqual(await handle.result());
  });

  it('left by Ctrl-C, says in its one JSON document how to come back, and the run goes on', async () => {
    const id = randomUUID();
    world.fault({ on: 'task', match: { promptIncludes: id }, times: 1, fault: { kind: 'hang' } });
    const handle = await world.start({ model: 'image-l', input: { prompt: id }, policy: FAST });
    const { code, json } = await starter(['watch', handle.workflowId, '--json'], settings(), {
      interruptWhen: (output) => output.includes('waiting for task'),
    });
    expect(code).toBe(130);
    expect(json()).toMatchObject({
      error: { type: 'INTERRUPTED', details: { workflowId: handle.workflowId } },
    });
    expect((await handle.describe()).status.name).toBe('RUNNING');
    await handle.terminate();
  });

  it('goes on to its result where nobody reads what it says on the way', async () => {
    const handle = await world.start({ model: 'image-l', input: { prompt: 'unheard' }, policy: FAST });
    const { code, json } = await starter(['watch', handle.workflowId, '--json'], settings(), {
      unheard: 'stderr',
    });
    expect(code).toBe(0);
    expect(json()).toEqual(await handle.result());
  });

  it('refuses a workflow that is none of ours as wrong usage', async () => {
    const { client, config } = world;
    const other = await client.workflow.start('somethingElse', {
      workflowId: randomUUID(),
      taskQueue: `${config.taskQueue}-nobody`,
    });
    const { code, stderr } = await run('watch', other.workflowId);
    expect(code).toBe(2);
    expect(stderr).toContain('of the type somethingElse, neither a generation nor a pipeline');
    await other.terminate();
  });

  it('says that there is no such workflow', async () => {
    const { code, stderr } = await run('watch', 'generation/never-was');
    expect(code).toBe(1);
    expect(stderr).toContain('there is no workflow generation/never-was');
  });
});

it('starter credits tells the balance and when it expires', async () => {
  const { json } = await run('credits', '--json');
  expect(json()).toMatchObject({
    workspace: 'default',
    permanent: 1_000_000,
    subscription_expires_at: expect.stringMatching(/Z$/) as unknown,
  });
  const { stdout } = await run('credits');
  expect(stdout).toMatch(
    /^default: \d+ credits available \(subscription \d+, expires .* \(in \d+ days\); permanent 1000000\)$/m,
  );
});
