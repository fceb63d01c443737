import { WithStartWorkflowOperation } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { reportSubmitsUpdate } from '../../src/contract/messages.ts';
import { entityId } from '../../src/contract/workflow-ids.ts';
import { openWorld, type World } from '../workflows/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(async () => {
  await world.close();
});

it.each([[null], [{ reporter: 'stranger' }]])(
  'a report of %j does not stop the pace of a workspace',
  async (report) => {
    const { taskQueue } = world.config;
    const workflowId = entityId('submit-pace', 'default', taskQueue);
    const good = {
      reporter: 'honest',
      accepted: 1,
      refused: 1,
      held: 0,
      paused: 0,
      pausedFor: 0,
      initial: 2_000,
      max: 60_000,
    };
    const start = () =>
      new WithStartWorkflowOperation('submitPace', {
        workflowId,
        taskQueue,
        args: [{ workspace: 'default' }],
        workflowIdConflictPolicy: 'USE_EXISTING' as const,
      });
    const said = await Promise.race([
      world.client.workflow
        .executeUpdateWithStart(reportSubmitsUpdate, {
          args: [report as never],
          startWorkflowOperation: start(),
        })
        .then(
          (answer) => JSON.stringify(answer),
          (error: unknown) => String(error),
        ),
      new Promise((resolve) => setTimeout(resolve, 5_000, 'no answer')),
    ]);
    const answer = await Promise.race([
      world.client.workflow
        .executeUpdateWithStart(reportSubmitsUpdate, {
          args: [good as never],
          startWorkflowOperation: start(),
        })
        .then(
          (one) => JSON.stringify(one),
          (error: unknown) => String(error),
        ),
      new Promise((resolve) => setTimeout(resolve, 5_000, 'no answer')),
    ]);
    const handle = world.client.workflow.getHandle(workflowId);
    const { events } = await handle.fetchHistory();
    const failed = (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: one }) =>
      one ? [one.failure?.message] : [],
    );
    console.log(JSON.stringify(report), '→', said, '| honest →', answer, failed);
    await handle.terminate().catch(() => undefined);
    expect(answer).toContain('"rate":');
    expect(answer).not.toContain('"rate":null');
  },
  40_000,
);
