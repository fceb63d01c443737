import { afterAll, beforeAll, expect, it } from 'vitest';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, image, openWorld, type World } from '../world.ts';
import { chargesBelow, finishTask, hangTasks, latest, still } from './steps.ts';

const SLOTS = 5;

let world: World;
beforeAll(async () => {
  world = await openWorld({ activitySlots: SLOTS });
});
afterAll(() => world.close());

it('more steps that were taken over while they run than a worker has slots hold up neither themselves nor others', async () => {
  hangTasks(world, 'taken over');
  const names = Array.from({ length: SLOTS + 1 }, (_, index) => `step-${index}`);
  const steps = Object.fromEntries(names.map((name) => [name, still(`taken over ${name}`)]));
  const handle = await world.pipeline({ policy: FAST, steps });
  await eventually(() => expect(chargesBelow(world, handle.workflowId)).toHaveLength(names.length));
  await resetRun(world.client, handle.workflowId);
  const again = latest(world, handle.workflowId);
  await eventually(async () => {
    const { pendingActivities } = (await again.describe()).raw;
    // Looked at, and to be looked at again.
    expect(pendingActivities?.filter(({ lastFailure }) => lastFailure)).toHaveLength(names.length);
  });
  await world.generate(image('not concerned'));
  for (const taskId of chargesBelow(world, handle.workflowId)) await finishTask(world, taskId);
  expect((await again.result()).status).toBe('COMPLETED');
  expect(chargesBelow(world, handle.workflowId)).toHaveLength(names.length);
});
