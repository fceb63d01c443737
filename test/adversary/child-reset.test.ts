import { afterAll, beforeAll, expect, it } from 'vitest';
import { resetRun } from '../reset-run.ts';
import { FAST, image, openWorld, type World } from '../workflows/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(async () => {
  await world.close();
});

it('a step whose generation is Reset while it runs ends as the generation does', async () => {
  world.fault({ on: 'task', match: { promptIncludes: 'reset child' }, fault: { kind: 'slow', ms: 4_000 } });
  const pipeline = await world.pipeline({
    steps: { one: { model: 'image-l', input: { prompt: 'reset child' } } },
    policy: FAST,
  } as never);
  const child = world.client.workflow.getHandle(`${pipeline.workflowId}/one`);
  await world.until(child, 'waiting');
  await resetRun(world.client, child.workflowId);
  const end = await pipeline.result().then(
    (result) => result.status,
    (error: { cause?: { type?: string; details?: unknown[] } }) => JSON.stringify(error.cause?.details?.[0]),
  );
  const own = await world.client.workflow.getHandle(child.workflowId).result();
  console.log({ end, own: (own as { status: string }).status });
  expect(end).toBe('COMPLETED');
}, 60_000);

it('a run that is Reset, adopts and is cancelled charges nothing again', async () => {
  const match = { promptIncludes: 'reset and cancelled' };
  world.fault({ on: 'file', match, fault: { kind: 'expired', status: 410 } });
  const handle = await world.start(image('reset and cancelled'));
  const first = await world.failureOf<{ charged: { total: number } }>(handle);
  await resetRun(world.client, handle.workflowId);
  const latest = world.client.workflow.getHandle(handle.workflowId);
  await latest.cancel();
  const end = await latest.result().then(
    () => 'completed',
    (error: { cause?: object }) => String(error.cause),
  );
  const { memo } = await latest.describe();
  console.log({ first: first.details.charged, end, memo: JSON.stringify(memo) });
}, 60_000);
