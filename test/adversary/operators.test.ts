import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resetRun } from '../reset-run.ts';
import { eventually, FAST, image, openWorld, type World } from '../workflows/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ emulator: { durations: { queue: 20, run: 1_500 } } });
});
afterAll(async () => {
  await world.close();
});

const pending = async (workflowId: string) => {
  const { raw } = await world.client.workflow.getHandle(workflowId).describe();
  return raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'submitTask');
};

it.each(['reset', 'pause and unpause', 'pause, reset, unpause'])(
  'a submit in flight that an operator does "%s" to is charged once',
  async (what) => {
    const prompt = `operated ${what}`;
    world.fault({
      on: 'submit',
      match: { promptIncludes: prompt },
      times: 1,
      fault: { kind: 'slow', ms: 3_000 },
    });
    const handle = await world.start(
      image(prompt, { ...FAST, reconcile: { wait: '5s', otherwise: 'fail' } }),
    );
    const activity = await eventually(async () => {
      const one = await pending(handle.workflowId);
      if (one?.lastStartedTime == null) throw new Error('not yet');
      return one;
    });
    await sleep(500);
    const id = {
      namespace: world.config.temporal.namespace,
      execution: { workflowId: handle.workflowId },
      id: activity.activityId ?? '',
      identity: 'operator',
    };
    if (what.startsWith('pause')) await world.client.workflowService.pauseActivity(id);
    if (what.includes('reset')) await world.client.workflowService.resetActivity(id);
    if (what.startsWith('pause')) {
      await sleep(1_000);
      await world.client.workflowService.unpauseActivity(id);
    }
    const end = await handle.result().then(
      (result) => JSON.stringify(result.attempts),
      (error: { cause?: object }) => String(error.cause),
    );
    console.log(what, end, world.charges(handle.workflowId).length);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  },
  60_000,
);

it('the sums of what the runs say that they were charged are the bill, with a cancelled one among them', async () => {
  const handle = await world.start(image('cancelled in the middle'));
  await world.until(handle, 'waiting');
  await handle.cancel();
  await handle.result().catch(() => undefined);
  const { memo } = await handle.describe();
  const first = (memo as { cancelled: { charged: { total: number } } }).cancelled.charged.total;
  await resetRun(world.client, handle.workflowId);
  const again = (await world.client.workflow.getHandle(handle.workflowId).result()) as {
    charged: { total: number };
  };
  const bill = world.charges(handle.workflowId).length * 8;
  console.log('cancelled then Reset', { first, second: again.charged.total, bill });
  expect(first + again.charged.total).toBe(bill);
}, 60_000);
