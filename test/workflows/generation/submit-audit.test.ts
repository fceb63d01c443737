import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SubmitAudit } from '../../../src/activities/generation/submit-audit.ts';
import type { FailureDetails } from '../../../src/contract/generation.ts';
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

  it('is handed over with its price: the API may forget the task before its record is read', async () => {
    const prompt = 'answered after a Reset, then forgotten';
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, fault: { kind: 'slow', ms: 1_000 } });
    world.fault({ on: 'task', match: { promptIncludes: prompt }, fault: { kind: 'vanish' } });
    const handle = await world.start(image(prompt));
    await eventually(() => expect(world.bought(handle)).toHaveLength(1));
    await resetRun(world.client, handle.workflowId);
    const { type, details } = await world.failureOf<FailureDetails>(
      world.client.workflow.getHandle(handle.workflowId),
    );
    const [charge] = world.charges(handle.workflowId);
    expect({ type, usage: details.usage.total }).toEqual({ type: 'TASK_VANISHED', usage: charge?.credits });
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
      const submit = { taskId: id, workspace: 'default', workflowId, runId, activityId: '2' };
      audit.add({ ...submit, fields: {}, credits: 8, at });
    }
    await eventually(() => expect(handedOver).not.toEqual([]));
    await audit.stop();
    expect(handedOver).toEqual([`default never-arrived ${workflowId}`]);
  });
});
