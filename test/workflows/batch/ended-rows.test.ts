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

describe('a row that was ended by hand, and could not tell what it has bought', () => {
  it('is looked at once: what no run has told the end of, or only that it was overdue, counts as its record says', async () => {
    hangTasks(world, 'of a row that is ended');
    const { batch, row, generations } = await startRow({
      overdue: { ...still('overdue, of a row that is ended'), policy: { deadline: '500ms' } },
      waiting: still('waiting, of a row that is ended'),
    });
    const [overdue, waiting] = generations;
    if (overdue === undefined || waiting === undefined) throw new Error('it has two steps');
    await world.until(waiting, 'waiting');
    expect((await eventually(() => world.failureOf(overdue))).type).toBe('TASK_OVERDUE');
    const [taskId] = world.bought(overdue);
    await failTask(world, taskId, 'TIMEOUT'); // and its credits are given back
    await row.terminate('a test');
    expect(await batch.result()).toMatchObject({ failed: 1, usage: { total: 8 } });
    const { events = [] } = await batch.fetchHistory();
    const activities = events?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
    expect(activities?.filter((name) => name === 'lookAtRow')).toHaveLength(1);
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
    await eventually(() => expect(asked()).toBeGreaterThan(0));
    const since = performance.now();
    await eventually(() => expect(asked()).toBe(prompts.length));
    expect(performance.now() - since).toBeLessThan(each);
    faults.remove('slow');
    expect(await batch.result()).toMatchObject({ failed: 1, usage: { total: 8 * prompts.length } });
  });
});
