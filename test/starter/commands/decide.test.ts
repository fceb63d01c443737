import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAST, image } from '../../workflows/world.ts';
import { openStarterWorld, type StarterWorld } from '../starter-world.ts';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

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
    const shown = await world.runHere('show', `generation/${id}`);
    for (const answer of ['resubmit', 'adopt --task <task id>', 'fail']) {
      expect(shown.stdout).toContain(`\n  npm run starter -- decide generation/${id} ${answer}\n`);
    }
    expect(shown.stdout).toMatch(/credits before: \d+ at .+, after: \d+ at /);

    // The key alone is enough, as for `show`.
    expect(await world.runHere('decide', id, 'resubmit')).toMatchObject({ code: 0 });
    expect(await handle.result()).toMatchObject({
      attempts: [{ outcome: 'unknown' }, { outcome: 'completed' }],
    });

    const late = await world.runHere('decide', `generation/${id}`, 'fail', '--json');
    expect(late.code).toBe(1);
    expect(late.json()).toMatchObject({ error: { type: 'CLOSED' } });
  });

  it('is offered no purchase by a generation that may buy nothing', async () => {
    const prompt = randomUUID();
    const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } };
    world.fault({
      on: 'submit',
      match: { promptIncludes: prompt },
      times: 1,
      fault: { kind: 'lost-before' },
    });
    const first = await world.start(image(prompt, policy));
    await world.until(first, 'needs a decision');
    const { runId: earlierRun } = await first.describe();
    await first.terminate();
    const adoptOnly = { type: 'OUTPUT_UNAVAILABLE', message: 'its input is gone' } as const;
    const { workflowId } = first;
    const handle = await world.start({ ...image(prompt, policy), earlierRun, adoptOnly }, workflowId);
    await world.until(handle, 'needs a decision');
    const { stdout } = await world.runHere('show', workflowId);
    expect(stdout).toContain(`decide ${workflowId} fail\n`);
    expect(stdout).not.toContain('resubmit');
    const refused = await world.runHere('decide', workflowId, 'resubmit', '--json');
    const error = { type: 'REFUSED', message: expect.stringContaining(adoptOnly.message) as unknown };
    expect(refused.json()).toMatchObject({ error });
    expect(await world.runHere('decide', workflowId, 'fail')).toMatchObject({ code: 0 });
    expect((await world.failureOf(handle)).type).toBe('SUBMISSION_UNKNOWN');
  });

  it('is refused for a pipeline or a batch, and for a generation that nobody works on', async () => {
    const { client } = world;
    const options = (kind: string) => ({ workflowId: `${kind}/${randomUUID()}`, taskQueue: 'nobody' });
    const pipeline = await client.workflow.start('pipeline', options('pipeline'));
    const { code, stderr } = await world.runHere('decide', pipeline.workflowId, 'fail');
    expect(code).toBe(2);
    expect(stderr).toContain(`is a pipeline; name one of its steps: ${pipeline.workflowId}/<step>`);

    const batch = await client.workflow.start('batch', options('batch'));
    const ofBatch = await world.runHere('decide', batch.workflowId, 'fail');
    expect(ofBatch.code).toBe(2);
    const row = `${batch.workflowId}/<row>`;
    expect(ofBatch.stderr).toContain(`is a batch; name a step of one of its rows: ${row}/<step>`);
    const ofStep = await world.runHere('decide', batch.workflowId, 'approve', '--step', 'clip');
    expect(ofStep.stderr).toContain(`is a batch; name one of its rows: ${row}`);

    const generation = await client.workflow.start('generation', options('generation'));
    const unheard = await world.runHere('decide', generation.workflowId, 'fail', '--json');
    expect(unheard.code).toBe(1);
    expect(unheard.json()).toMatchObject({ error: { type: 'NO_WORKER' } });
    expect(unheard.stderr).toContain('no worker polls task queue nobody');
    await Promise.all([pipeline, batch, generation].map((run) => run.terminate()));
  });
});
