import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, image } from '../../workflows/world.ts';
import { openStarterWorld, POLICY, type StarterWorld } from '../starter-world.ts';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld(undefined, { assumptions: { refunds: 'all' } });
});
afterAll(() => world.close());

interface Costs {
  rows: Record<string, unknown>[];
  total: { tasks: number; credits: number; refunded: number };
  open: { tasks: number };
  unexplained: { taskId: string; credits: number }[];
  foreign: { taskId: string; credits: number }[];
  late: { taskId: string; workflowId: string; credits: number }[];
  balance: Record<string, number>;
}

const costs = async (...options: string[]): Promise<Costs> =>
  (await world.runHere('cost', ...options, '--json')).json() as Costs;

/** Charges of workflows, as the ledger has them. */
const ledger = () => {
  const charges = world.emulator
    .service()
    .ledger.charges()
    .filter(({ workflow }) => workflow !== null);
  const sum = (of: (charge: (typeof charges)[number]) => number): number =>
    charges.reduce((all, charge) => all + of(charge), 0);
  return {
    tasks: charges.length,
    credits: sum(({ credits }) => credits),
    refunded: sum(({ refund }) => refund?.credits ?? 0),
  };
};

describe('starter cost', () => {
  it('tells each task once, whatever was Reset, lost, refunded, terminated or run again', async () => {
    world.loseAnswer('cost lost');
    world.fault({
      on: 'task',
      match: { promptIncludes: 'cost refunded' },
      times: 1,
      fault: { kind: 'fail', code: 'FAILED' },
    });
    await world.generate(image('cost lost'));
    await world.generate(image('cost refunded'));
    const reset = await world.start(image('cost reset'));
    await reset.result();
    await resetRun(world.client, reset.workflowId);
    await world.client.workflow.getHandle(reset.workflowId).result();
    world.hold('cost terminated');
    const terminated = await world.start(image('cost terminated'));
    await world.until(terminated, 'waiting');
    await terminated.terminate();
    const pipeline = await world.pipeline({
      steps: { still: { model: 'image-o', input: { prompt: 'cost step' } } },
      tags: { team: 'film' },
      policy: JSON.parse(POLICY) as object,
    });
    await pipeline.result();
    await eventually(async () => expect((await costs()).total).toEqual(ledger()));
    expect(ledger().refunded).toBe(8);
    const { rows } = await costs('--by', 'model,tag:team,day', '--since', '1h');
    const day = new Date().toISOString().slice(0, 10);
    expect(rows).toContainEqual({
      model: 'image-o',
      'tag:team': 'film',
      day,
      tasks: 1,
      credits: 5,
      refunded: 0,
    });
    expect(rows).toContainEqual(expect.objectContaining({ model: 'image-l', 'tag:team': null, tasks: 5 }));
  });

  it('groups by the tags of the command line, and writes CSV by the names of FOCUS', async () => {
    const id = randomUUID();
    const args = ['image-l', 'prompt=tagged', '--id', id, '--policy', POLICY];
    expect(
      (await world.runHere('generate', ...args, '--tag', 'team=news', '--tag', 'by=ann', '--json')).code,
    ).toBe(0);
    await eventually(async () => {
      const { stdout } = await world.runHere('cost', '--by', 'tag:team,tag:by', '--csv');
      const [head = '', ...lines] = stdout.trim().split('\n');
      expect(head).toMatch(/^ChargePeriodStart,ChargePeriodEnd,ChargeCategory,BillingCurrency,BilledCost,/);
      expect(lines).toContainEqual(
        expect.stringContaining(',Usage,credits,8,1,tasks,,,"{""team"":""news"",""by"":""ann""}"'),
      );
    });
  });

  it('names charges that no generation has made', async () => {
    const planted = await world.buyOutside('planted');
    await eventually(async () => {
      const { foreign, unexplained } = await costs('--reconcile');
      expect(foreign).toEqual([{ taskId: planted, credits: 8 }]);
      expect(unexplained).toEqual([]);
    });
    const { stdout } = await world.runHere('cost', '--reconcile');
    expect(stdout).toContain(`${planted}: 8 credits`);
  });

  it('calls a task open whose run was ended before it failed, and takes what came back from its record', async () => {
    const open = async (): Promise<number> => (await costs()).open.tasks;
    const before = await costs('--reconcile');
    const openBefore = await open();
    world.hold('cost open');
    const ended = await world.start(image('cost open'));
    await world.until(ended, 'waiting');
    await ended.terminate();
    await eventually(async () => expect(await open()).toBe(openBefore + 1));
    const { scheduler, tasks } = world.emulator.service();
    const [taskId = ''] = world.bought(ended);
    const task = tasks.get(taskId);
    if (task === undefined) throw new Error('the emulator has no such task');
    const due = { start: Date.now(), finish: Date.now() };
    scheduler.force(task, { kind: 'fail', code: 'FAILED', message: 'a test' }, due);
    await eventually(() => expect(world.charges(ended.workflowId)[0]?.refund?.credits).toBe(8));
    const { total, unexplained } = await costs('--reconcile');
    expect(unexplained).toEqual([]);
    expect(total.refunded).toBe(before.total.refunded + 8);
    const { stdout } = await world.runHere('cost');
    expect(stdout).toContain('no run has told how they ended');
  });

  it('lists a task that was known late: its submit was given up, and its run had ended by then', async () => {
    const prompt = 'cost known late';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'resubmit' } };
    const handle = await world.start({ ...image(prompt, policy), tags: { team: 'late' } });
    const { taskId: second } = await handle.result();
    const { workflowId } = handle;
    const first = world.bought(handle).find((taskId) => taskId !== second) ?? '';
    await world.tellOfCreation(first, { prompt });
    await eventually(async () => {
      const { late, rows, foreign } = await costs('--by', 'tag:team', '--reconcile');
      expect(late).toEqual([{ taskId: first, workflowId, credits: 8 }]);
      expect(rows).toContainEqual({ 'tag:team': 'late', tasks: 2, credits: 16, refunded: 0 });
      expect(foreign.map(({ taskId }) => taskId)).not.toContain(first);
    });
    const { stdout } = await world.runHere('cost');
    expect(stdout).toContain(`${first}: 8 credits, of ${workflowId}`);
    // Nor is it foreign to a bill that begins later.
    const later = await costs('--reconcile', '--since', new Date().toISOString());
    expect(later.late).toEqual([]);
    expect(later.foreign.map(({ taskId }) => taskId)).not.toContain(first);
  });

  it('tells what has left the balance, or come in, beside what was bought', async () => {
    const compared = async (...options: string[]): Promise<Record<string, number>> => {
      const { balance } = await costs('--reconcile', ...options);
      return balance;
    };
    const since = new Date().toISOString();
    const { now: before = 0 } = await compared('--since', since);
    const sinceThen = ['--since', since, '--since-balance', String(before)];
    await world.generate(image('cost of the balance'));
    await eventually(async () =>
      expect(await compared(...sinceThen)).toMatchObject({
        before,
        now: before - 8,
        bought: 8,
        unexplained: 0,
      }),
    );
    await world.buyOutside('bought by others');
    await eventually(async () => expect((await compared(...sinceThen))['unexplained']).toBe(8));
    const { stdout } = await world.runHere('cost', '--reconcile', ...sinceThen);
    expect(stdout).toContain(
      `The balance was ${before} credits, and is ${before - 16}; the bill has 8: 8 more have left it`,
    );
    await fetch(`${world.emulator.controlUrl}/workspaces/default/credits/top-up`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ permanent: 100 }),
    });
    expect((await compared(...sinceThen))['unexplained']).toBe(-92);
    expect((await world.runHere('cost', '--since-balance', '10')).code).toBe(2);
  });

  it('refuses a group and an age that it does not know', async () => {
    expect((await world.runHere('cost', '--by', 'colour')).code).toBe(2);
    expect((await world.runHere('cost', '--since', 'yesterday')).code).toBe(2);
  });
});
