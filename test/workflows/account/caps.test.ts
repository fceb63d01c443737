import { afterEach, describe, expect, it } from 'vitest';
import { type AccountReport, accountOfCap } from '../../../src/contract/entities/account.ts';
import { accountQuery } from '../../../src/contract/messages.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import type { Cap } from '../../../src/policy/caps.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, type Generation, image, openWorld, WEBHOOK_ONLY, type World } from '../world.ts';

/** What the emulator takes for a picture. */
const PRICE = 8;

let world: World;
afterEach(() => world.close());

const cap = (of: Partial<Cap> = {}): Cap => ({
  name: 'test',
  per: 'ever',
  credits: 24,
  action: 'fail',
  ...of,
});

async function open(...caps: Cap[]): Promise<void> {
  world = await openWorld({ config: { caps }, emulator: { assumptions: { refunds: 'all' } } });
}

function account(of = cap()) {
  const { scope } = accountOfCap(of);
  return world.client.workflow.getHandle(entityId('account', scope, world.config.taskQueue));
}

const report = (of?: Cap): Promise<AccountReport> => account(of).query(accountQuery);

/** All that pictures are charged and is not given back. */
function ledger(): number {
  const charges = world.emulator.service().ledger.charges();
  return charges
    .filter(({ model }) => model === 'image-l')
    .reduce((sum, { credits, refund }) => sum + credits - (refund?.credits ?? 0), 0);
}

/** The account is told of everything, and agrees with the ledger. */
async function expectBill(of?: Cap): Promise<void> {
  await eventually(async () => expect(await report(of)).toMatchObject({ spent: ledger(), reserved: 0 }));
}

/** How runs end: the credits of a result, or a failure's type. */
async function ends(handles: readonly Generation[]): Promise<(number | string)[]> {
  return await Promise.all(
    handles.map((handle) =>
      handle.result().then(
        ({ charged }) => charged.total,
        () => world.failureOf(handle).then(({ type }) => type),
      ),
    ),
  );
}

describe('a cap', () => {
  it('holds where 50 generations come at once, and refuses none that it has room for', async () => {
    const of = cap({ credits: 25 * PRICE + 3 });
    await open(of);
    const policy = { ...FAST, submit: { timeout: '5m', heartbeat: '5m' } };
    const handles = await Promise.all(
      Array.from({ length: 50 }, (_, n) => world.start(image(`crowd ${n}`, policy))),
    );
    const all = await ends(handles);
    expect(all.filter((end) => end === PRICE)).toHaveLength(25);
    expect(all.filter((end) => end === 'BUDGET_EXCEEDED')).toHaveLength(25);
    expect(ledger()).toBe(25 * PRICE);
    await expectBill(of);
  });

  it('is named by what it refuses, and lets all go on that it does not count', async () => {
    await open(cap({ credits: 1, model: 'image-l' }));
    await world.generate({ model: 'image-o', input: { prompt: 'not counted' } });
    await world.generate(image('the price is not known: it runs alone'));
    const { type, message } = await world.fail(image('refused'));
    expect(type).toBe('BUDGET_EXCEEDED');
    expect(message).toContain('cap test of 1 credits in all does not admit it');
    await expectBill(cap());
  });

  it('reserves all that is left for a long speech, whatever a word has cost', async () => {
    const of = cap({ credits: 200 });
    await open(of);
    const speech = (text: string) => ({ model: 'speech-a', input: { text }, policy: FAST });
    await world.generate(speech('Hi'));
    await eventually(async () => expect(await report(of)).toMatchObject({ spent: 3, reserved: 0 }));
    const match = { promptIncludes: 'word word' };
    world.fault({ on: 'submit', match, times: 1, fault: { kind: 'slow', ms: 3_000 } });
    const long = await world.start(speech('word '.repeat(10_000)));
    await eventually(async () => expect((await report(of)).reserved).toBe(197));
    await long.result();
    await eventually(async () => expect(await report(of)).toMatchObject({ spent: 6, reserved: 0 }));
  });

  it('that warns refuses nothing, and says so once', async () => {
    const of = cap({ action: 'warn', credits: 10, per: 'month' });
    await open(of);
    for (const n of [1, 2, 3]) await world.generate(image(`warned ${n}`));
    expect(world.warnings.filter(({ message }) => message.includes('is passed'))).toHaveLength(1);
    await expectBill(of);
    expect((await report(of)).period).toBe(new Date().toISOString().slice(0, 7));
  });

  it('counts lost answers, refunds, refusals, Resets and terminations as the ledger does', async () => {
    const of = cap({ credits: 10 * PRICE });
    await open(of);
    world.loseAnswer('lost under a cap');
    world.fault({
      on: 'task',
      match: { promptIncludes: 'given back' },
      times: 1,
      fault: { kind: 'fail', code: 'FAILED' },
    });
    const refusal = { kind: 'error', code: 'RATE_LIMITED' } as const;
    world.fault({ on: 'submit', match: { promptIncludes: 'refused' }, times: 2, fault: refusal });
    const free = world.hold('reset');
    const reset = await world.start(image('reset', WEBHOOK_ONLY));
    await world.until(reset, 'waiting');
    await resetRun(world.client, reset.workflowId);
    free();
    const others = await Promise.all(
      ['lost under a cap', 'given back', 'refused'].map((prompt) => world.start(image(prompt))),
    );
    await ends(others);
    const again: Generation = world.client.workflow.getHandle(reset.workflowId);
    expect((await again.result()).attempts).toMatchObject([{ adopted: true }]);
    await expectBill(of);
    world.hold('terminated');
    const killed = await world.start(image('terminated', WEBHOOK_ONLY));
    await world.until(killed, 'waiting');
    await killed.terminate();
    await eventually(async () => expect((await report(of)).reserved).toBe(PRICE));
    expect((await report(of)).spent).toBe(ledger() - PRICE);
  });

  it('keeps a submit reserved of which nobody knows whether it has bought', async () => {
    const of = cap({ credits: 2 * PRICE });
    await open(of);
    await world.generate(image('shows the price'));
    world.loseWebhooks('without evidence');
    world.loseAnswer('without evidence');
    const policy = { ...WEBHOOK_ONLY, reconcile: { wait: 100, otherwise: 'ask' } };
    const lost = await world.start(image('without evidence', policy));
    await world.until(lost, 'needs a decision');
    await lost.terminate();
    expect(await report(of)).toMatchObject({ spent: PRICE, reserved: PRICE });
    const { type, message } = await world.fail(image('not admitted'));
    expect(type).toBe('BUDGET_EXCEEDED');
    expect(message).toContain('8 are spent, 8 reserved');
    expect(ledger()).toBe(2 * PRICE);
  });

  it('whose account does not answer ends no run that is cancelled meanwhile as failed', async () => {
    await open(cap());
    const { scope } = accountOfCap(cap());
    const { taskQueue } = world.config;
    await world.client.workflow.start('account', {
      workflowId: entityId('account', scope, taskQueue),
      taskQueue: `nobody-${taskQueue}`,
      args: [],
    });
    const handle = await world.start(image('cancelled while it is asked'));
    await eventually(async () =>
      expect((await handle.describe()).raw.pendingActivities).toMatchObject([{ lastStartedTime: {} }]),
    );
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    expect(world.charges(handle.workflowId)).toEqual([]);
  });

  it('keeps what was booked where its account is Reset itself', async () => {
    const of = cap({ credits: 2 * PRICE });
    await open(of);
    await world.generate(image('spent before the Reset of an account'));
    const free = world.hold('reserved before the Reset of an account');
    const held = await world.start(image('reserved before the Reset of an account', WEBHOOK_ONLY));
    await world.until(held, 'waiting');
    const booked = { spent: PRICE, reserved: PRICE };
    await eventually(async () => expect(await report(of)).toMatchObject(booked));
    const { workflowId } = account(of);
    await resetRun(world.client, workflowId);
    await eventually(async () => expect(await report(of)).toMatchObject(booked));
    expect((await world.fail(image('not admitted after the Reset of an account'))).type).toBe(
      'BUDGET_EXCEEDED',
    );
    free();
    await held.result();
    await expectBill(of);
  });

  it('starts nothing where nothing is limited', async () => {
    await open();
    await world.generate(image('without caps'));
    await expect(account().describe()).rejects.toThrow('not found');
  });
});
