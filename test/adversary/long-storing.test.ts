import { afterAll, beforeAll, expect, it } from 'vitest';
import { FAST, image, type World } from '../workflows/world.ts';
import { openShortWorld } from './short-histories.ts';

let world: World;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ world, close } = await openShortWorld(60));
});
afterAll(() => close());

it('checkNow of a run whose storing is held up ends, also where the run has become long', async () => {
  world.fault({
    on: 'file',
    match: { promptIncludes: 'held up long' },
    times: 12,
    fault: { kind: 'expired', status: 404 },
  });
  const handle = await world.start(image('held up long', { ...FAST, outputs: { wait: '1h' } }));
  await world.until(handle, 'storing');
  const latest = world.client.workflow.getHandle(handle.workflowId);
  let asked = 0;
  const ask = async (): Promise<void> => {
    for (; asked < 12; asked += 1) await latest.executeUpdate('checkNow').catch(() => undefined);
  };
  const done = ask();
  const outcome = await Promise.race([
    latest.result().then(() => 'completed'),
    new Promise((resolve) => setTimeout(resolve, 20_000, 'hangs')),
  ]);
  const { runId } = await latest.describe();
  const { events } = await latest.fetchHistory();
  console.log('checkNow', {
    asked,
    outcome,
    sameRun: runId === handle.firstExecutionRunId,
    events: events?.length,
  });
  void done.catch(() => undefined);
  expect(outcome).toBe('completed');
}, 60_000);

it('outputs.wait ends, also where the run has become long', async () => {
  const short = await openShortWorld(30);
  try {
    const started = Date.now();
    short.world.fault({
      on: 'file',
      match: { promptIncludes: 'never stored' },
      fault: { kind: 'expired', status: 404 },
    });
    const handle = await short.world.start(image('never stored', { ...FAST, outputs: { wait: '6s' } }));
    const latest = short.world.client.workflow.getHandle(handle.workflowId);
    const outcome = await Promise.race([
      latest.result().then(
        () => 'completed',
        (error: unknown) => `failed ${String(error)}`,
      ),
      new Promise((resolve) => setTimeout(resolve, 35_000, 'goes on')),
    ]);
    const sameRun = (await latest.describe()).runId === handle.firstExecutionRunId;
    console.log('outputs.wait 6s', { outcome, after: Date.now() - started, sameRun });
    expect(outcome).toContain('failed');
  } finally {
    await short.close();
  }
}, 90_000);
