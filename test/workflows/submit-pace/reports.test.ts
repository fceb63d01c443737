import { WithStartWorkflowOperation } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { reportSubmitsUpdate } from '../../../src/contract/messages.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import type { SubmitReport } from '../../../src/policy/pace/types.ts';
import { openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const HONEST: SubmitReport = {
  reporter: 'honest',
  accepted: 1,
  refused: 1,
  held: 0,
  pausedFor: 0,
  initial: 2_000,
  max: 60_000,
};

/** Hands a report to the entity of a workspace of its own, as a worker does. */
async function report(workspace: string, value: unknown): Promise<unknown> {
  const { taskQueue } = world.config;
  return await world.client.workflow.executeUpdateWithStart(reportSubmitsUpdate, {
    args: [value as SubmitReport], // or not: that is what is tried
    startWorkflowOperation: new WithStartWorkflowOperation('submitPace', {
      workflowId: entityId('submit-pace', workspace, taskQueue),
      taskQueue,
      args: [{ workspace }],
      workflowIdConflictPolicy: 'USE_EXISTING',
    }),
  });
}

it.each([
  ['null', null],
  ['without numbers', { reporter: 'stranger' }],
  ['with wrong ones', { ...HONEST, refused: -1, initial: 'soon' }],
])('a report that is none, %s, is refused, and honest ones are answered', async (name, value) => {
  const workspace = name.replaceAll(' ', '-');
  await expect(report(workspace, value)).rejects.toMatchObject({
    cause: { message: 'a report names its reporter, and counts from 0' },
  });
  await expect(report(workspace, HONEST)).resolves.toMatchObject({ rate: expect.any(Number) });
});
