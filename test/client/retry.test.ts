import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowDigest } from '../../src/client/batch/row-digest.ts';
import { startBatch } from '../../src/client/batch/start-batch.ts';
import { DarkroomClient, PipelineFailedError, TaskFailedError } from '../../src/client/index.ts';
import { ROW_MEMO } from '../../src/contract/batch.ts';
import { rejection } from '../rejection.ts';
import { eventually, FAST, openWorld, type World } from '../workflows/world.ts';

let world: World;
let darkroom: DarkroomClient;
beforeAll(async () => {
  world = await openWorld();
  darkroom = new DarkroomClient(world.client, { taskQueue: world.config.taskQueue });
});
afterAll(() => world.close());

const ONCE = { ...FAST, retries: { FAILED: { resubmissions: 0 } } };

/** The first task of that prompt fails, as many as it takes. */
function failOnce(prompt: string): void {
  const fault = { kind: 'fail', code: 'FAILED' } as const;
  world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault });
}

const charged = (workflowId: string): number => world.charges(workflowId).length;

describe('retry', () => {
  it('tries a generation again under its id, also one that was terminated, and takes its task over', async () => {
    const prompt = randomUUID();
    const release = world.hold(prompt);
    const { workflowId } = await darkroom.start('image-l', { prompt }, { key: randomUUID(), policy: FAST });
    await eventually(async () => {
      const { progress } = await darkroom.get(workflowId);
      expect(progress).toHaveProperty('taskId', expect.any(String));
    });
    const running = await darkroom.retry(workflowId);
    expect(running.runId).toBe((await darkroom.attach(workflowId)).runId);
    await world.client.workflow.getHandle(workflowId).terminate();
    const again = await darkroom.retry(workflowId);
    expect(again.workflowId).toBe(workflowId);
    release();
    expect(await again.result()).toMatchObject({ status: 'COMPLETED' });
    expect(charged(workflowId)).toBe(1);
  });

  it('tries the failed step of a pipeline again under its id, and buys it once, whoever else does; the rest is kept', async () => {
    const prompt = `fails once ${randomUUID()}`;
    failOnce(prompt);
    const key = randomUUID();
    const steps = {
      kept: { model: 'image-l', input: { prompt: 'kept' } },
      bad: { model: 'image-l', input: { prompt } },
    };
    const error = await rejection(darkroom.run({ steps, policy: ONCE }, { key }));
    expect(error).toBeInstanceOf(PipelineFailedError);
    expect(error).toHaveProperty('cause', expect.any(TaskFailedError));
    const workflowId = `pipeline/${key}`;
    const handles = await Promise.all([darkroom.retry(workflowId), darkroom.retry(workflowId)]);
    expect(await handles[0]?.result()).toMatchObject({ status: 'COMPLETED' });
    expect([charged(`${workflowId}/kept`), charged(`${workflowId}/bad`)]).toEqual([1, 2]);
    // Done: there is nothing to try again.
    const done = await darkroom.retry(workflowId);
    expect(done.runId).toBe((await darkroom.attach(workflowId)).runId);
    expect(await darkroom.run({ steps, policy: ONCE }, { key })).toMatchObject({ status: 'COMPLETED' });
    expect([charged(`${workflowId}/kept`), charged(`${workflowId}/bad`)]).toEqual([1, 2]);
  });

  it('tries what a pipeline that completed in part has not got', async () => {
    const prompt = `fails once, in part ${randomUUID()}`;
    failOnce(prompt);
    const key = randomUUID();
    const steps = {
      kept: { model: 'image-l', input: { prompt: 'kept in part' } },
      bad: { model: 'image-l', input: { prompt } },
    };
    const pipeline = { steps, policy: ONCE, allowPartial: true };
    expect(await darkroom.run(pipeline, { key })).toMatchObject({ status: 'PARTIAL' });
    const again = await darkroom.retry(`pipeline/${key}`);
    expect(await again.result()).toMatchObject({ status: 'COMPLETED' });
    expect(charged(`pipeline/${key}/kept`)).toBe(1);
  });

  it('starts a pipeline anew that was ended before it had begun', async () => {
    const workflowId = `pipeline/${randomUUID()}`;
    await world.stopWorker();
    const steps = { still: { model: 'image-l', input: { prompt: 'never begun' } } };
    await world.pipeline({ steps, policy: FAST }, workflowId);
    await world.client.workflow.getHandle(workflowId).terminate();
    const again = await darkroom.retry(workflowId);
    await world.startWorker();
    expect(await again.result()).toMatchObject({ status: 'COMPLETED' });
    expect(charged(`${workflowId}/still`)).toBe(1);
  });

  it('leaves a pipeline that it starts anew the row of its batch that it was', async () => {
    const workflowId = `batch/${randomUUID()}`;
    const { taskQueue } = world.config;
    const pipeline = {
      steps: { still: { model: 'image-l', input: { prompt: 'a row that never began' } } },
      policy: FAST,
    };
    const values = { row: 'one' };
    const digest = rowDigest(pipeline, values);
    await world.stopWorker();
    const row = await world.client.workflow.start('pipeline', {
      workflowId: `${workflowId}/one`,
      taskQueue,
      args: [{ ...pipeline, params: values }],
      memo: { [ROW_MEMO]: digest },
    });
    await row.terminate();
    const again = await darkroom.retry(row.workflowId);
    await world.startWorker();
    await again.result();
    await startBatch(world.client, {
      workflowId,
      taskQueue,
      pipeline,
      rows: [{ id: 'one', values, digest }],
    });
    const result: unknown = await world.client.workflow.getHandle(workflowId).result();
    expect(result).toMatchObject({ completed: 1, charged: { total: 8 } });
    expect(charged(`${row.workflowId}/still`)).toBe(1);
  });

  it('is for generations and pipelines that are there', async () => {
    expect(await rejection(darkroom.retry('generation/never-started'))).toMatchObject({
      name: 'WorkflowNotFoundError',
    });
  });
});
