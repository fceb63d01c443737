import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Progress } from '../../../src/contract/generation.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { eventually, FAST, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

it('a run that buys again while unclaimed-tasks is terminated sends nothing before a person is asked', async () => {
  const prompt = 'evidence lost after giving up';
  world.loseAnswer(prompt);
  world.loseWebhooks(prompt);
  const refusal = { kind: 'error', code: 'PROVIDER_UNAVAILABLE' } as const;
  const match = { promptIncludes: prompt };
  const { id } = world.emulator.service().faults.add({ on: 'submit', match, fault: refusal });
  const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'resubmit' } };
  const handle = await world.start({ model: 'image-l', input: { prompt }, policy });
  await eventually(async () =>
    expect((await handle.query<Progress>('progress')).attempts).toMatchObject([{ outcome: 'unknown' }]),
  );
  await world.client.workflow
    .getHandle(entityId('unclaimed-tasks', 'default', world.config.taskQueue))
    .terminate();
  const { trouble } = await world.until(handle, 'needs a decision');
  expect(trouble).toContain('was ended from outside meanwhile (TERMINATED)');
  expect(world.bought(handle)).toHaveLength(1);
  world.emulator.service().faults.remove(id);
  await handle.executeUpdate('decide', { args: [{ action: 'resubmit' }] });
  const { attempts } = await handle.result();
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'completed']);
  expect(world.bought(handle)).toHaveLength(2);
});

it('a run asks a person, too, where unclaimed-tasks is terminated as soon as it has let the claim go', async () => {
  const prompt = 'evidence lost while giving up';
  let isOver = false;
  const open = await openWorld({
    activities: (activities) => ({
      ...activities,
      async withdrawClaim(request) {
        const end = await activities.withdrawClaim(request);
        if (end.kind !== 'gone' || isOver) return end;
        isOver = true;
        const entity = open.client.workflow.getHandle(
          entityId('unclaimed-tasks', 'default', open.config.taskQueue),
        );
        const { runId } = await entity.describe();
        await entity.terminate();
        const query = `WorkflowId = '${entity.workflowId}' AND RunId = '${runId}' AND CloseTime IS NOT NULL`;
        await eventually(async () => expect((await open.client.workflow.count(query)).count).toBe(1));
        return end;
      },
    }),
  });
  try {
    open.loseAnswer(prompt);
    open.loseWebhooks(prompt);
    const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'resubmit' } };
    const handle = await open.start({ model: 'image-l', input: { prompt }, policy });
    const { trouble } = await open.until(handle, 'needs a decision');
    expect(trouble).toContain('was ended from outside meanwhile (TERMINATED)');
    expect(open.bought(handle)).toHaveLength(1);
    await handle.executeUpdate('decide', { args: [{ action: 'resubmit' }] });
    await handle.result();
  } finally {
    await open.close();
  }
});

it('a run that asks for that is given its task as soon as an event tells of it', async () => {
  const prompt = 'evidence lost, and told again';
  world.loseAnswer(prompt);
  world.loseWebhooks(prompt);
  const policy = { ...FAST, reconcile: { wait: '4s', otherwise: 'resubmit' } };
  const handle = await world.start({ model: 'image-l', input: { prompt }, policy });
  await world.until(handle, 'reconciling');
  const entity = entityId('unclaimed-tasks', 'default', world.config.taskQueue);
  await eventually(() => world.client.workflow.getHandle(entity).terminate());
  await world.until(handle, 'needs a decision');
  const [taskId = ''] = world.bought(handle);
  await world.tellOfCreation(taskId, { prompt });
  const from = Date.now();
  expect((await handle.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
  // The claim of a run that asks is put in again after ten waits at the latest.
  expect(Date.now() - from).toBeLessThan(30_000);
});
