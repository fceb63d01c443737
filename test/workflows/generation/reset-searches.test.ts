import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { resetPoints, resetRun } from '../../../src/temporal/reset-run.ts';
import { deleteRun } from '../../delete-run.ts';
import { eventually, FAST, type Generation, image, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const WAIT = 8_000;
const ASK = { ...FAST, reconcile: { wait: WAIT, otherwise: 'ask' } };
const RESUBMIT = { ...FAST, reconcile: { wait: WAIT, otherwise: 'resubmit' } };

/** A run that looks for the task of its lost submit. */
async function lose(prompt: string, policy: unknown): Promise<{ handle: Generation; taskId: string }> {
  world.loseAnswer(prompt);
  world.loseWebhooks(prompt);
  const handle = await world.start(image(prompt, policy));
  await world.until(handle, 'reconciling');
  const [taskId = ''] = world.bought(handle);
  return { handle, taskId };
}

/** The last workflow task that has ended so far. */
async function latestTask({ workflowId }: Generation) {
  const { runId } = await world.client.workflow.getHandle(workflowId).describe();
  const point = (await resetPoints(world.client, { workflowId, runId })).at(-1);
  if (point === undefined) throw new Error('no workflow task has ended');
  return { runId, point };
}

async function cancelled(handle: Generation): Promise<void> {
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
}

/** The claim of a run that has closed is not open any more. */
async function noticed(): Promise<void> {
  const entity = world.client.workflow.getHandle(
    entityId('unclaimed-tasks', 'default', world.config.taskQueue),
  );
  await eventually(async () => expect(await world.details(entity)).toMatch(/, 0 generation\(s\) looking/));
}

describe('a Reset of a run that was cancelled while it looked, to a message that came meanwhile', () => {
  it.each([
    ['would buy again', RESUBMIT, 'reconciling'],
    ['asks', ASK, 'needs a decision'],
  ] as const)('takes a task that is heard of only then, where it %s', async (what, policy, state) => {
    const prompt = `reset to a look, it ${what}`;
    // Looks often which runs have closed.
    await world.tellOfCreation('foreign', { prompt: 'foreign' }, { claimCheck: 200 });
    const { handle, taskId } = await lose(prompt, policy);
    const lostAt = Date.now();
    await handle.executeUpdate('checkNow');
    const { workflowId } = handle;
    const { runId, point } = await latestTask(handle);
    await cancelled(handle);
    await noticed();
    await eventually(() => expect(Date.now()).toBeGreaterThan(lostAt + WAIT));
    await resetRun(world.client, { workflowId, runId }, point, 'a test');
    const again: Generation = world.client.workflow.getHandle(workflowId);
    await world.until(again, state);
    await world.tellOfCreation(taskId, { prompt });
    expect((await again.result()).attempts).toMatchObject([{ taskId, adopted: true, outcome: 'completed' }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });
});

describe('a Reset of a run that gave a submit up and bought again', () => {
  it('looks for the task of that submit once: one that has failed is bought again, like any other', async () => {
    const prompt = 'given up, failed, reset';
    const hasty = { ...FAST, reconcile: { wait: '200ms', otherwise: 'resubmit' } };
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    world.fault({
      on: 'task',
      match: { promptIncludes: prompt },
      times: 2,
      fault: { kind: 'fail', code: 'CONTENT_REJECTED' },
    });
    const handle = await world.start(image(prompt, hasty));
    expect((await world.failureOf(handle)).type).toBe('IMAGE_GENERATION_CONTENT_REJECTED');
    const [lost = '', ...others] = world.bought(handle);
    expect(others).toHaveLength(1);
    await world.tellOfCreation(lost, { prompt });
    const isKnown = (): boolean =>
      world.warnings.some(({ message }) => message.includes('charged after all'));
    await eventually(() => expect(isKnown()).toBe(true));
    const { workflowId } = handle;
    for (const _ of ['once', 'and again']) {
      await resetToBeginning(workflowId);
      const { taskId } = await world.client.workflow.getHandle(workflowId).result();
      expect(world.bought(handle)).toHaveLength(3);
      expect(taskId).toBe(world.bought(handle).at(-1));
    }
  });
});

describe('a Reset of a run that is deleted, and had drawn another seed', () => {
  it('looks for the task of its submit whatever its seed', async () => {
    const prompt = 'deleted, with another seed';
    const match = { promptIncludes: prompt };
    world.fault({ on: 'task', match, times: 1, fault: { kind: 'fail', code: 'CONTENT_REJECTED' } });
    world.fault({ on: 'submit', match, nth: 2, times: 1, fault: { kind: 'lost-after' } });
    world.loseWebhooks(prompt);
    const retries = { ...FAST.retries, CONTENT_REJECTED: { resubmissions: 1, initial: 20 } };
    const request = { model: 'image-r', input: { prompt, seed: 7 }, policy: { ...FAST, retries } };
    const handle = await world.start(request);
    await world.until(handle, 'reconciling');
    const { workflowId } = handle;
    const { runId } = await handle.describe();
    const [, taskId = ''] = world.bought(handle);
    const { input = {} } = world.emulator.service().tasks.get(taskId) ?? {};
    expect(input).toMatchObject({ prompt, seed: expect.any(Number) });
    expect(input).not.toMatchObject({ seed: 7 });
    // The new run is to find nothing of it.
    await world.stopWorker();
    await resetToBeginning(workflowId);
    await deleteRun(world.client, { workflowId, runId });
    await world.startWorker();
    const again: Generation = world.client.workflow.getHandle(workflowId);
    await world.until(again, 'reconciling');
    await world.tellOfCreation(taskId, input);
    expect((await again.result()).attempts).toMatchObject([{ taskId, outcome: 'completed', adopted: true }]);
    expect(world.bought(handle)).toHaveLength(2);
  });
});

async function resetToBeginning(workflowId: string): Promise<void> {
  const { runId } = await world.client.workflow.getHandle(workflowId).describe();
  const [point] = await resetPoints(world.client, { workflowId, runId });
  if (point === undefined) throw new Error('no workflow task has ended');
  await resetRun(world.client, { workflowId, runId }, point, 'a test');
}
