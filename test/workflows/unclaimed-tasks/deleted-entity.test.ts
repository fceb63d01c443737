import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLOCK_TOLERANCE } from '../../../src/contract/limits.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { runsOf } from '../../../src/temporal/visibility-query.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, type Generation, image, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const entity = () =>
  world.client.workflow.getHandle(entityId('unclaimed-tasks', 'default', world.config.taskQueue));

const policy = { ...FAST, reconcile: { wait: '15s', otherwise: 'resubmit' } };

/** A run whose claim is in. */
async function looking(prompt: string): Promise<Generation> {
  world.loseAnswer(prompt);
  world.loseWebhooks(prompt);
  const handle = await world.start(image(prompt, policy));
  await eventually(async () => {
    expect(await world.details(entity())).toMatch(/, 1 generation/);
    const { events } = await handle.fetchHistory();
    expect(events?.filter((event) => event.markerRecordedEventAttributes)).toHaveLength(1);
  });
  return handle;
}

/** Deletes the entity, and waits until there is no record of it. */
async function deleteEntity(): Promise<void> {
  const { namespace } = world.config.temporal;
  const { workflowId } = entity();
  await world.client.workflowService.deleteWorkflowExecution({
    namespace,
    workflowExecution: { workflowId },
  });
  await eventually(async () => expect((await world.client.workflow.count(runsOf(workflowId))).count).toBe(0));
}

describe('where unclaimed-tasks is deleted, nobody can tell what a lost submit has bought', () => {
  it('a run that looks for its task asks a person before it buys again', async () => {
    const handle = await looking('deleted meanwhile');
    await deleteEntity();
    const { trouble } = await world.until(handle, 'needs a decision');
    expect(trouble).toContain('was ended from outside meanwhile');
    expect(world.bought(handle)).toHaveLength(1);
    await handle.executeUpdate('decide', { args: [{ action: 'resubmit' }] });
    const { attempts } = await handle.result();
    expect(attempts).toMatchObject([{ outcome: 'unknown' }, { outcome: 'completed' }]);
  });

  it('a Reset of a run that has looked for one asks a person, too', async () => {
    const handle = await looking('deleted before a Reset');
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    await deleteEntity();
    // It could not have begun so late with a claim that was put in before.
    const deletedAt = Date.now();
    await eventually(() => expect(Date.now()).toBeGreaterThan(deletedAt + CLOCK_TOLERANCE));
    await resetRun(world.client, handle.workflowId);
    const again: Generation = world.client.workflow.getHandle(handle.workflowId);
    const { trouble } = await world.until(again, 'needs a decision');
    expect(trouble).toContain('it may have been deleted');
    expect(world.bought(handle)).toHaveLength(1);
    await again.terminate();
  });
});
