import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../../src/api/records/usage.ts';
import { rerunWith } from '../../../src/client/starting/rerun.ts';
import type { PipelineProgress } from '../../../src/contract/pipeline.ts';
import { eventually, FAST, openWorld, type World } from '../world.ts';
import { failTasks, finishTask, hangTasks, latest } from './steps.ts';

const step = { model: 'image-l', input: { prompt: { $each: { $param: 'cities' } } }, approve: true };

describe('a step of a rerun', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it('is asked about at once where one of its items is to be bought, whatever another one comes to that runs elsewhere', async () => {
    const [slow, wrong] = [randomUUID(), randomUUID()];
    hangTasks(world, slow);
    failTasks(world, wrong);
    const request = { policy: FAST, params: { cities: [slow, wrong] }, steps: { city: step } };
    const handle = await world.pipeline(request);
    const { workflowId } = handle;
    await eventually(() => handle.executeUpdate('approve', { args: [{ step: 'city' }] }));
    const failed = world.client.workflow.getHandle(`${workflowId}/city/1`);
    await eventually(() => failed.describe());
    await world.failureOf(failed);
    await handle.terminate();
    const again = latest(world, await rerunWith(world.client, workflowId, {}));
    await eventually(async () => {
      const { steps } = await again.query<PipelineProgress>('progress');
      expect(steps['city']?.status).toBe('approval');
    });
    await again.executeUpdate('reject', { args: [{ step: 'city' }] });
    await world.failureOf(again);
    await finishTask(world, world.bought({ workflowId: `${workflowId}/city/0` })[0]);
  });
});

it('nobody is asked about a step whose items are all bought, however many it has', async () => {
  const world = await openWorld({
    activities: (activities) => ({
      ...activities,
      checkPipeline: () => Promise.resolve({ ok: true }),
      surveyPaid: ({ things }) => Promise.resolve(things.map(() => 'paid' as const)),
      findReusable: ({ path }) =>
        Promise.resolve({ kind: 'completed', workflowId: `pipeline/p/${path}`, result }),
    }),
  });
  const cities = Array.from({ length: 150 }, (_, index) => `city ${index}`);
  const handle = await world.pipeline({
    policy: FAST,
    params: { cities },
    steps: { city: step },
    reuse: 'pipeline/p',
  });
  expect(await handle.result()).toMatchObject({ status: 'COMPLETED' });
  await world.close();
});

const result = {
  taskId: 'a-task',
  status: 'COMPLETED' as const,
  model: 'image-l',
  outputs: [],
  data: null,
  usage: NO_USAGE,
  charged: NO_USAGE,
  attempts: [],
};
