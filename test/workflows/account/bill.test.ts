import { afterEach, describe, expect, it } from 'vitest';
import { accountOfCap } from '../../../src/contract/entities/account.ts';
import { accountQuery } from '../../../src/contract/messages.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import type { Cap } from '../../../src/policy/caps.ts';
import { readBill } from '../../../src/temporal/bill/read-bill.ts';
import { type BilledTask, isOpen } from '../../../src/temporal/bill/run-bill.ts';
import { deleteRuns } from '../../delete-run.ts';
import { eventually, FAST, image, openWorld, WEBHOOK_ONLY, type World } from '../world.ts';

/** What the emulator takes for a picture. */
const PRICE = 8;
const TAGS = { team: 'film' };
const BOUGHT = { model: 'image-l', workspace: 'default', tags: TAGS, credits: PRICE, refunded: 0 };

let world: World;
let since: number;
afterEach(() => world.close());

async function open(credits?: number): Promise<void> {
  const caps: Cap[] = credits === undefined ? [] : [{ name: 'test', per: 'ever', credits, action: 'fail' }];
  world = await openWorld({ config: { caps }, emulator: { assumptions: { refunds: 'all' } } });
  since = Date.now();
}

const bill = async (): Promise<BilledTask[]> =>
  (await readBill(world.client, world.config.taskQueue, since)).tasks;

/** The cap's account has heard of the end of all. */
async function settled(): Promise<void> {
  const { scope } = accountOfCap({ name: 'test', per: 'ever' });
  const account = world.client.workflow.getHandle(entityId('account', scope, world.config.taskQueue));
  await eventually(async () => expect(await account.query(accountQuery)).toMatchObject({ purchases: 0 }));
}

/** Also where visibility lags: without any run of that id the bill has exactly this. */
async function expectWithout(workflowId: string, tasks: object[]): Promise<void> {
  await deleteRuns(world.client, workflowId);
  const inOrder = (all: BilledTask[]) => all.toSorted((a, b) => a.at - b.at);
  await eventually(async () => expect(inOrder(await bill())).toMatchObject(tasks));
}

describe('the bill of a generation whose history is deleted', () => {
  it.each(['under a cap', 'with a budget', 'with both'])(
    '%s is what the accounts were told',
    async (limit) => {
      await open(limit === 'with a budget' ? undefined : 100);
      const budget = limit === 'under a cap' ? {} : { budget: { credits: 50 } };
      const handle = await world.start({ ...image(limit, { ...FAST, ...budget }), tags: TAGS });
      const { runId } = await handle.describe();
      const { taskId } = await handle.result();
      const task = { ...BOUGHT, taskId, workflowId: handle.workflowId, runId };
      await eventually(async () => expect(await bill()).toMatchObject([{ ...task, outcome: 'completed' }]));
      await expectWithout(handle.workflowId, [{ ...task, isSettled: true }]);
    },
  );

  it('has what was given back, and each task once, of a step that several budgets pay for', async () => {
    await open(100);
    const fault = { kind: 'fail', code: 'FAILED' } as const;
    world.fault({ on: 'task', match: { promptIncludes: 'given back' }, times: 1, fault });
    const policy = { ...FAST, budget: { credits: 50 } };
    const steps = { still: { model: 'image-l', input: { prompt: 'given back' }, policy } };
    const pipeline = await world.pipeline({ steps, tags: TAGS, budget: { credits: 50 } });
    await pipeline.result();
    await settled();
    const workflowId = `${pipeline.workflowId}/still`;
    const [first, second] = world.bought({ workflowId });
    const tasks = [
      { ...BOUGHT, workflowId, taskId: first, refunded: PRICE },
      { ...BOUGHT, workflowId, taskId: second },
    ];
    await eventually(async () => expect(await bill()).toHaveLength(2));
    expect(await bill()).toEqual(expect.arrayContaining(tasks.map((task) => expect.objectContaining(task))));
    await expectWithout(workflowId, tasks);
  });

  it('has the task of a lost submit', async () => {
    await open(100);
    world.loseAnswer('lost under a cap');
    const handle = await world.start({ ...image('lost under a cap'), tags: TAGS });
    const { taskId } = await handle.result();
    await settled();
    expect(world.bought(handle)).toEqual([taskId]);
    await expectWithout(handle.workflowId, [{ ...BOUGHT, taskId, workflowId: handle.workflowId }]);
  });
});

it('what a task has cost whose run was ended before it is told once, by the account alone that has looked after it', async () => {
  await open(PRICE);
  world.hold('ended before');
  const handle = await world.start({ ...image('ended before', WEBHOOK_ONLY), tags: TAGS });
  await world.until(handle, 'waiting');
  await handle.terminate();
  const { workflowId } = handle;
  const [taskId = ''] = world.bought(handle);
  const task = { ...BOUGHT, taskId, workflowId };
  await eventually(async () => expect(await bill()).toMatchObject([task]));
  expect((await bill()).filter(isOpen)).toHaveLength(1);
  const { scheduler, tasks } = world.emulator.service();
  const held = tasks.get(taskId);
  if (held === undefined) throw new Error('the emulator has no such task');
  const due = { start: Date.now(), finish: Date.now() };
  scheduler.force(held, { kind: 'fail', code: 'FAILED', message: 'a test' }, due);
  // Whoever has no room has the account look.
  expect((await world.fail(image('has no room'))).type).toBe('BUDGET_EXCEEDED');
  await settled();
  const back = { ...task, refunded: PRICE, isSettled: true };
  await eventually(async () => expect(await bill()).toMatchObject([back]));
  await expectWithout(workflowId, [back]);
});
