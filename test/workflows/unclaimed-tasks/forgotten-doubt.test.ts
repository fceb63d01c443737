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
