import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SubmitAudit } from '../../../src/activities/generation/submit-audit.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, type Generation, image, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ audit: { after: 200, every: 100 } });
  world.loseWebhooks('');
});
afterAll(() => world.close());

describe('an answer that did not reach its workflow, in a workspace without webhooks', () => {
  it('is handed over by the worker that has it', async () => {
    const prompt = 'answered after a Reset';
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, fault: { kind: 'slow', ms: 1_000 } });
    const handle = await world.start(image(prompt));
    await eventually(() => expect(world.bought(handle)).toHaveLength(1));
    await resetRun(world.client, handle.workflowId);
    const again: Generation = world.client.workflow.getHandle(handle.workflowId);
    const { taskId, attempts } = await again.result();
    expect(world.bought(handle)).toEqual([taskId]);
    expect(attempts).toMatchObject([{ taskId, outcome: 'completed', adopted: true, settledBy: 'poll' }]);
  });

  it('is told from one that did, by the run’s history where visibility shows neither', async () => {
    const handle = await world.start(image('arrived'));
    const { taskId } = await handle.result();
    const { runId } = await handle.describe();
    const handedOver: string[] = [];
    const audit = new SubmitAudit(
      {
        temporal: world.client,
        find: async () => new Map(),
        handOver: async (workspace, { taskId, owner }) =>
          void handedOver.push(`${workspace} ${taskId} ${owner}`),
        metrics: { handedOver() {} },
        log: { warn() {} },
      },
      { after: 0, every: 20 },
    );
    const { workflowId } = handle;
    for (const id of [taskId, 'never-arrived']) {
      const at = Date.now();
      audit.add({ taskId: id, workspace: 'default', workflowId, runId, activityId: '2', fields: {}, at });
    }
    await eventually(() => expect(handedOver).not.toEqual([]));
    await audit.stop();
    expect(handedOver).toEqual([`default never-arrived ${workflowId}`]);
  });
});
