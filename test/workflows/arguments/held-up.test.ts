import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { image, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const HUGE = 'x'.repeat(900_000);

/** What twenty callers of bad will hand to the entity of the paces. */
const BAD: readonly ((workspace: string) => unknown)[] = [
  (workspace) => ({ workspace, pace: HUGE }),
  (workspace) => ({ workspace, pace: { reporters: { [HUGE]: 1 } } }),
  () => ({ workspace: HUGE }),
  () => HUGE,
];

it('ten generations end beside twenty paces that were started with huge arguments', async () => {
  const { taskQueue } = world.config;
  const bad = Array.from({ length: 20 }, async (_, index) => {
    const workspace = `w-${randomUUID()}`;
    return await world.client.workflow.start('submitPace', {
      taskQueue,
      workflowId: entityId('submit-pace', workspace, taskQueue),
      args: [BAD[index % BAD.length]?.(workspace)],
    });
  });
  const paces = await Promise.all(bad);
  const good = Array.from({ length: 10 }, async (_, index) => {
    const handle = await world.start(image(`honest ${index} ${randomUUID()}`));
    return (await handle.result()).status;
  });
  expect(await Promise.all(good)).toEqual(Array.from({ length: 10 }, () => 'COMPLETED'));
  const ends = await Promise.all(paces.map((pace) => pace.result().catch((error: unknown) => error)));
  expect(ends).toMatchObject(ends.map(() => ({ cause: { type: 'INVALID_REQUEST' } })));
});
