import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { entityId } from '../../src/contract/workflow-ids.ts';
import { measureEntities } from '../../src/worker/measure-entities.ts';
import { eventually, openWorld, type World } from '../workflows/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

it('entities are measured by the longest history and the oldest run of their type, once a minute', async () => {
  const { client, config } = world;
  const registry = new Registry();
  measureEntities(registry, client, config.taskQueue);
  const valueOf = async (name: string, type: string): Promise<number | undefined> => {
    const line = (await registry.metrics())
      .split('\n')
      .find((one) => one.startsWith(`${name}{type="${type}"}`));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };
  await world.tellOfCreation('foreign', { prompt: 'of somebody else' });
  const entity = client.workflow.getHandle(entityId('unclaimed-tasks', 'default', config.taskQueue));
  await eventually(async () => expect((await entity.describe()).historyLength).toBeGreaterThanOrEqual(5));
  await eventually(async () => {
    const open = client.workflow.list({
      query: `TaskQueue = '${config.taskQueue}' AND WorkflowType = 'unclaimedTasks'`,
    });
    expect((await open[Symbol.asyncIterator]().next()).done).toBe(false);
  });
  const before = await entity.describe();
  const longest = await eventually(async () => {
    const events = await valueOf('darkroom_entity_events', 'unclaimed-tasks');
    expect(events).toBeGreaterThan(0);
    return events;
  });
  expect(longest).toBeGreaterThanOrEqual(before.historyLength);
  expect(await valueOf('darkroom_entity_oldest_timestamp_seconds', 'unclaimed-tasks')).toBe(
    before.startTime.getTime() / 1_000,
  );
  // Of a type that has none there is no age.
  await eventually(async () => expect(await valueOf('darkroom_entity_events', 'submit-pace')).toBe(0));
  expect(await valueOf('darkroom_entity_oldest_timestamp_seconds', 'submit-pace')).toBeUndefined();

  await world.tellOfCreation('another', { prompt: 'of somebody else' });
  await eventually(async () => expect((await entity.describe()).historyLength).toBeGreaterThan(longest ?? 0));
  expect(await valueOf('darkroom_entity_events', 'unclaimed-tasks')).toBe(longest);
});
