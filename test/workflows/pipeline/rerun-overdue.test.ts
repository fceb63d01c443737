import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PipelineResult } from '../../../src/contract/pipeline.ts';
import { resetRun } from '../../reset-run.ts';
import { FAST, openWorld, type World } from '../world.ts';
import { chargesBelow, failTasks, finishTask, latest, still } from './steps.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

it.each([
  ['TASK_OVERDUE', { deadline: '500ms' }],
  ['SUBMISSION_UNKNOWN', { reconcile: { wait: '100ms', otherwise: 'fail' } }],
  // After a lost submit.
  ['IMAGE_GENERATION_INVALID_INPUT', { reconcile: { wait: '100ms', otherwise: 'resubmit' } }],
])('a rerun does not buy an unchanged step again that failed as %s', async (type, policy) => {
  const prompt = `rerun after ${type}`;
  // The first one; the second fails.
  world.hold(prompt, 1);
  failTasks(world, prompt);
  if ('reconcile' in policy) {
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
  }
  const request = { steps: { a: still(prompt) }, policy: { ...FAST, ...policy } };
  const first = await world.pipeline(request);
  const { details } = await world.failureOf<PipelineResult>(first);
  expect(details.steps['a']).toMatchObject({ failure: { type } });
  const child = `${first.workflowId}/a`;
  const again = await world.pipeline({ ...request, reuse: first.workflowId });
  const refused = await world.failureOf<PipelineResult>(again);
  const message = expect.stringContaining(`${child} ended as ${type}`) as unknown;
  expect(refused.details.steps['a']).toMatchObject({ failure: { message, details: { attempts: [] } } });
  expect(chargesBelow(world, again.workflowId)).toEqual([]);
  if ('reconcile' in policy) return;
  // As it says: the generation takes its task over, and a Reset of the rerun takes that.
  const [taskId] = chargesBelow(world, first.workflowId);
  await finishTask(world, taskId);
  await resetRun(world.client, child);
  await world.client.workflow.getHandle(child).result();
  await resetRun(world.client, again.workflowId);
  const { steps } = await latest(world, again.workflowId).result();
  expect(steps['a']).toMatchObject({ status: 'COMPLETED', reused: true, result: { taskId } });
});
