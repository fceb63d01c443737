import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowDigest } from '../../../src/client/batch/row-digest.ts';
import { startBatch } from '../../../src/client/batch/start-batch.ts';
import type { BatchResult } from '../../../src/contract/batch.ts';
import type { PipelineRequest } from '../../../src/contract/pipeline.ts';
import { failTask, hangTasks, still } from '../pipeline/steps.ts';
import { eventually, openWorld, WEBHOOK_ONLY, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ emulator: { assumptions: { refunds: 'all' } } });
});
afterAll(() => world.close());

/** A batch of one row. */
async function startRow(steps: PipelineRequest['steps']) {
  const workflowId = `batch/${randomUUID()}`;
  const pipeline = { steps, policy: WEBHOOK_ONLY };
  const rows = [{ id: 'row', values: {}, digest: rowDigest(pipeline, {}) }];
  const { taskQueue } = world.config;
  await startBatch(world.client, { workflowId, taskQueue, pipeline, rows, concurrency: 1 });
  const batch = world.client.workflow.getHandle<() => Promise<BatchResult>>(workflowId);
  const row = world.client.workflow.getHandle(`${workflowId}/row`);
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
});
