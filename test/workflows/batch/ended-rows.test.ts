import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { surveyRows } from '../../../src/activities/batch/look-at-row.ts';
import { rowDigest } from '../../../src/client/batch/row-digest.ts';
import { startBatch } from '../../../src/client/batch/start-batch.ts';
import { type BatchResult, ROW_MEMO } from '../../../src/contract/batch.ts';
import type { PipelineRequest } from '../../../src/contract/pipeline.ts';
import { failTask, hangTasks, still } from '../pipeline/steps.ts';
import { eventually, openWorld, WEBHOOK_ONLY, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ emulator: { assumptions: { refunds: 'all' } } });
});
afterAll(() => world.close());

/** A batch of rows with those ids, which may be started again. */
async function startRows(steps: PipelineRequest['steps'], ids: readonly string[]) {
  const workflowId = `batch/${randomUUID()}`;
  const pipeline = { steps, policy: WEBHOOK_ONLY };
  const rows = ids.map((id) => ({ id, values: { row: id }, digest: rowDigest(pipeline, { row: id }) }));
  const { taskQueue } = world.config;
  const start = () => startBatch(world.client, { workflowId, taskQueue, pipeline, rows });
  await start();
  const batch = world.client.workflow.getHandle<() => Promise<BatchResult>>(workflowId);
  return { batch, start };
}

/** A batch of one row. */
async function startRow(steps: PipelineRequest['steps']) {
  const { batch } = await startRows(steps, ['row']);
  const row = world.client.workflow.getHandle(`${batch.workflowId}/row`);
  const generations = Object.keys(steps).map((step) =>
    world.client.workflow.getHandle(`${row.workflowId}/${step}`),
  );
  return { batch, row, generations };
}

/** Of a batch of one row: its task was overdue, and failed later, so that its credits are given back; the row waits for a person. */
async function startWithRefund(prompt: string) {
  hangTasks(world, prompt);
  const started = await startRow({
    overdue: { ...still(prompt), policy: { deadline: '500ms' } },
    gate: { ...still('never bought, of a row that is ended'), approve: true },
  });
  const [overdue] = started.generations;
  if (overdue === undefined) throw new Error('it has a step that is overdue');
  expect((await eventually(() => world.failureOf(overdue))).type).toBe('TASK_OVERDUE');
  await failTask(world, world.bought(overdue)[0], 'TIMEOUT');
  return started;
}

describe('a row that was ended by hand, and could not tell what it has bought', () => {
  it('is looked at once: of what no run has told the end, or only that it was overdue, its record tells it', async () => {
    const { batch, row } = await startWithRefund('overdue, of a row that is ended');
    await row.terminate('a test');
    expect(await batch.result()).toMatchObject({ failed: 1, usage: { total: 0 } });
    const { events = [] } = await batch.fetchHistory();
    const activities = events?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
    expect(activities?.filter((name) => name === 'lookAtRow')).toHaveLength(1);
  });

  it('is looked at again where the API does not tell what a task has cost', async () => {
    const { batch, row } = await startWithRefund('overdue, and priced later');
    const { faults } = world.emulator.service();
    world.fault({ on: 'get', id: 'no records', fault: { kind: 'html', status: 503 } });
    await row.terminate('a test');
    await eventually(() => expect(faults.counts()['get.html']).toBeGreaterThan(0));
    faults.remove('no records');
    expect(await batch.result()).toMatchObject({ failed: 1, usage: { total: 0 }, charged: { total: 0 } });
  });

  it('is looked at in little time, however many tasks it has: several are asked about together', async () => {
    const prompts = ['one', 'two', 'three', 'four'].map((name) => `${name} of a wide row`);
    hangTasks(world, 'of a wide row');
    const { batch, row, generations } = await startRow(
      Object.fromEntries(prompts.map((prompt, index) => [`step${index}`, still(prompt)])),
    );
    for (const generation of generations) await world.until(generation, 'waiting');
    const { faults } = world.emulator.service();
    const asked = (): number => faults.counts()['get.slow'] ?? 0;
    const each = 4_000;
    world.fault({ on: 'get', id: 'slow', fault: { kind: 'slow', ms: each, when: 'before' } });
    await row.terminate('a test');
    for (const generation of generations) await generation.terminate('a test');
    await eventually(() => expect(asked()).toBeGreaterThan(0));
    const since = performance.now();
    await eventually(() => expect(asked()).toBe(prompts.length));
    expect(performance.now() - since).toBeLessThan(each);
    faults.remove('slow');
    expect(await batch.result()).toMatchObject({ failed: 1, usage: { total: 8 * prompts.length } });
  });

  it('is looked at by another run of the batch, twenty questions at a time', async () => {
    hangTasks(world, 'of a row of many steps');
    const names = Array.from({ length: 24 }, (_, index) => `step${index}`);
    const prompt = (name: string) => `${name}, of a row of many steps`;
    const steps = Object.fromEntries(names.map((name) => [name, still(prompt(name))]));
    const { batch, start } = await startRows(steps, ['row']);
    const row = world.client.workflow.getHandle(`${batch.workflowId}/row`);
    const generations = names.map((name) => world.client.workflow.getHandle(`${row.workflowId}/${name}`));
    for (const generation of generations) await world.until(generation, 'waiting');
    await batch.terminate('a test');
    for (const one of [row, ...generations]) await one.terminate('a test');
    const { faults } = world.emulator.service();
    const asked = (): number => faults.counts()['get.slow'] ?? 0;
    const before = asked();
    world.fault({ on: 'get', id: 'slow', fault: { kind: 'slow', ms: 4_000, when: 'before' } });
    await start();
    await eventually(() => expect(asked() - before).toBeGreaterThanOrEqual(20));
    await batch.describe(); // those that were asked together have come by now
    expect(asked() - before).toBe(20);
    faults.remove('slow');
    expect(await batch.result()).toMatchObject({ failed: 1, usage: { total: 8 * generations.length } });
  });

  it('is surveyed by another run of the batch without a list of what it has bought, which the server refuses to many: each is looked at by itself', async () => {
    const prompt = '{{row}}, of several rows that were ended';
    hangTasks(world, 'of several rows that were ended');
    const ids = ['first', 'second', 'third'];
    const { batch, start } = await startRows({ still: still(prompt) }, ids);
    const rows = ids.map((id) => world.client.workflow.getHandle(`${batch.workflowId}/${id}`));
    const generations = rows.map(({ workflowId }) => world.client.workflow.getHandle(`${workflowId}/still`));
    for (const generation of generations) await world.until(generation, 'waiting');
    await batch.terminate('a test');
    for (const one of [...rows, ...generations]) await one.terminate('a test');
    await start();
    expect(await batch.result()).toMatchObject({ failed: 3, usage: { total: 24 }, charged: { total: 24 } });
    expect(await survey(rows)).toEqual(
      rows.map(() => expect.objectContaining({ kind: 'ended', isOpen: true })),
    );
  });

  /** What a survey tells while the server refuses all lists. */
  async function survey(rows: readonly { workflowId: string }[]): Promise<unknown> {
    const { connection, options } = world.client;
    const temporal = new Client({ connection, namespace: options.namespace });
    const refuse = (): never => {
      throw new Error('namespace rate limit exceeded');
    };
    temporal.workflow.list = refuse;
    const known = await Promise.all(
      rows.map(async ({ workflowId }) => {
        const { memo } = await temporal.workflow.getHandle(workflowId).describe();
        return { workflowId, digest: String(memo?.[ROW_MEMO]) };
      }),
    );
    let told: unknown;
    const deps = { temporal };
    await new MockActivityEnvironment().run(async () => {
      told = await surveyRows(deps, known);
    });
    return told;
  }
});
