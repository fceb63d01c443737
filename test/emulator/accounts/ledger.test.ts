import { expect, test } from 'vitest';
import { type Charge, type ChargeFilter, inputHash, Ledger } from '../../../emulator/src/accounts/ledger.ts';
import { keeping } from './keeping.ts';

const usage = { total: 8, subscription: 8, permanent: 0 };

function purchase(taskId: string, workflow: string | null, workspace = 'default') {
  const inputHash = 'hash';
  return { taskId, model: 'image-l', workspace, keyId: 'key', credits: 8, usage, at: 5, inputHash, workflow };
}

const tasksOf = (charges: Charge[]): string[] => charges.map(({ taskId }) => taskId);

test('a charge is told, changed and found again after a restart', () => {
  const kept = keeping();
  const told: unknown[] = [];
  kept.changes.subscribe((change) => told.push(change));
  const ledger = new Ledger(kept);
  const charge = ledger.charge(purchase('one', 'w'));
  const expected = {
    ...purchase('one', 'w'),
    id: 'one',
    answered: false,
    endedInVain: false,
    boughtAgain: false,
    refund: null as Charge['refund'],
  };
  expect(charge).toEqual(expected);
  expect(new Ledger(kept).charges()).toEqual([expected]);
  ledger.answered(charge);
  expect(new Ledger(kept).charges()).toEqual([{ ...expected, answered: true }]);
  const refund = { at: 9, reason: 'FAILED' };
  expect(ledger.endedInVain('one', refund)).toBe(charge);
  expect(new Ledger(kept).charges()).toEqual([
    { ...expected, answered: true, endedInVain: true, refund: { ...refund, credits: 8, usage } },
  ]);
  expect(told).toEqual(Array.from({ length: 3 }, () => ({ kind: 'ledger', id: 'one' })));
});

test('a task that nobody paid for ends in vain without a charge', () => {
  expect(new Ledger(keeping()).endedInVain('nobody’s', undefined)).toBeUndefined();
});

test('a workflow has bought again unless its latest task ended in vain; what nobody owns never has', () => {
  const kept = keeping();
  let ledger = new Ledger(kept);
  const again = (taskId: string, workflow: string | null): boolean =>
    ledger.charge(purchase(taskId, workflow)).boughtAgain;
  const first = [again('1', 'w'), again('2', 'other'), again('3', null), again('4', null), again('5', 'w')];
  ledger.endedInVain('5', undefined);
  expect([...first, again('6', 'w')]).toEqual([false, false, false, false, true, false]);
  ledger = new Ledger(kept);
  expect([again('7', 'w'), again('8', null)]).toEqual([true, false]);
});

test.each<[ChargeFilter, string[]]>([
  [{}, ['1', '2', '3']],
  [{ workspace: 'b' }, ['3']],
  [{ workflow: 'w' }, ['1', '3']],
  [{ taskId: '2' }, ['2']],
  [{ unowned: true }, ['2']],
  [{ unowned: false }, ['1', '3']],
  [{ answered: true }, ['1']],
  [{ answered: false }, ['2', '3']],
  [{ workflow: 'w', answered: false }, ['3']],
])('charges are found by %j', (filter, found) => {
  const ledger = new Ledger(keeping());
  ledger.answered(ledger.charge(purchase('1', 'w')));
  ledger.charge(purchase('2', null));
  ledger.charge(purchase('3', 'w', 'b'));
  expect(tasksOf(ledger.charges(filter))).toEqual(found);
});

test('an input’s hash tells models and values apart, and not the order of fields', () => {
  const hash = inputHash('image-l', { prompt: 'x', n: 1 });
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(inputHash('image-l', { n: 1, prompt: 'x' })).toBe(hash);
  expect(inputHash('image-o', { prompt: 'x', n: 1 })).not.toBe(hash);
  expect(inputHash('image-l', { prompt: 'x', n: 2 })).not.toBe(hash);
});
