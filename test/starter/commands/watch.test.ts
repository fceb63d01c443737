import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowDigest } from '../../../src/client/batch/row-digest.ts';
import { startBatch } from '../../../src/client/batch/start-batch.ts';
import { TemporalProxy } from '../../temporal-proxy.ts';
import { eventually, FAST, image, WEBHOOK_ONLY } from '../../workflows/world.ts';
import { openStarterWorld, type StarterWorld } from '../starter-world.ts';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

describe('starter watch', () => {
  it('prints the result of a run that somebody else started', async () => {
    const handle = await world.start({ model: 'image-l', input: { prompt: 'seen' }, policy: FAST });
    const { json } = await world.runHere('watch', handle.workflowId, '--json');
    expect(json()).toEqual(await handle.result());
  });

  it.each(['generation', 'pipeline', 'batch'])('asks a %s nothing while it does nothing', async (kind) => {
    await using proxy = await TemporalProxy.open(world.config.temporal.address);
    const prompt = randomUUID();
    const release = world.hold(prompt);
    const pipeline = {
      steps: { still: { model: 'image-l', input: { prompt } } },
      policy: WEBHOOK_ONLY,
    } as const;
    const workflowId = `${kind}/${prompt}`;
    const { client, config } = world;
    if (kind === 'generation') await world.start(image(prompt, WEBHOOK_ONLY), workflowId);
    else if (kind === 'pipeline') await world.pipeline(pipeline, workflowId);
    else {
      const rows = ['a', 'b'].map((id) => ({ id, values: {}, digest: rowDigest(pipeline, {}) }));
      await startBatch(client, { workflowId, taskQueue: config.taskQueue, pipeline, rows });
    }
    const watched = world.runWith({ TEMPORAL_ADDRESS: proxy.address }, ['watch', workflowId, '--json']);
    const asked = (): number => proxy.count('QueryWorkflow');
    await eventually(() => expect(asked()).toBeGreaterThan(0));
    await eventually(async () => {
      proxy.clear();
      await delay(3_000);
      expect(asked()).toBe(0);
    });
    release();
    expect(await watched).toMatchObject({ code: 0 });
    // Its steps and rows are not asked either: one query for each second in which it does something.
    expect(asked()).toBeLessThanOrEqual(6);
  });

  it('left by Ctrl-C, says in its one JSON document how to come back, and the run goes on', async () => {
    const id = randomUUID();
    world.fault({ on: 'task', match: { promptIncludes: id }, times: 1, fault: { kind: 'hang' } });
    const handle = await world.start({ model: 'image-l', input: { prompt: id }, policy: FAST });
    const { code, json } = await world.runWith({}, ['watch', handle.workflowId, '--json'], {
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
    const { code, json } = await world.runWith({}, ['watch', handle.workflowId, '--json'], {
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
    const { code, stderr } = await world.runHere('watch', other.workflowId);
    expect(code).toBe(2);
    expect(stderr).toContain('of the type somethingElse, neither a generation nor a pipeline');
    await other.terminate();
  });

  it('says that there is no such workflow', async () => {
    const { code, stderr } = await world.runHere('watch', 'generation/never-was');
    expect(code).toBe(1);
    expect(stderr).toContain('there is no workflow generation/never-was');
  });

  it('gives up waiting after --timeout and says how to come back; the run goes on', async () => {
    const id = randomUUID();
    world.fault({ on: 'task', match: { promptIncludes: id }, times: 1, fault: { kind: 'hang' } });
    const handle = await world.start({ model: 'image-l', input: { prompt: id }, policy: FAST });
    const { workflowId } = handle;
    const { code, stderr, json } = await world.runHere('watch', workflowId, '--timeout', '300ms', '--json');
    expect(code).toBe(1);
    expect(json()).toMatchObject({ error: { type: 'STILL_RUNNING', details: { workflowId } } });
    expect(stderr).toContain(`still runs after 300 ms. It goes on`);
    expect(stderr).toContain(`\n  npm run starter -- watch ${workflowId}\n`);
    expect((await handle.describe()).status.name).toBe('RUNNING');
    await handle.terminate();
  });
});
