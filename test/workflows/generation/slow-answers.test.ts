import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { rejection } from '../../rejection.ts';
import { image, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world?.close());

it('an API that answers slowly is waited for: the task of one who still submits is not looked for as a lost one', async () => {
  const match = { promptIncludes: 'slowly accepted' };
  world.fault({ on: 'submit', match, fault: { kind: 'slow', ms: 4_000 } });
  expect(await world.generate(image('slowly accepted'))).toMatchObject({ attempts: [{ adopted: false }] });
  const entity = entityId('unclaimed-tasks', 'default', world.config.taskQueue);
  const asked = world.client.workflow.getHandle(entity).describe();
  expect(await rejection(asked)).toBeInstanceOf(WorkflowNotFoundError);
});
