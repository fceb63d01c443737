import { expect, it } from 'vitest';
import type { Cap } from '../../src/policy/caps.ts';
import type { BilledTask } from '../../src/temporal/bill/run-bill.ts';
import { overBudget, overCap, unlikeLedger } from './cap-books.ts';
import type { LedgerCharge } from './emulator-control.ts';

const CAP: Cap = { name: 'test', per: 'minute', credits: 16, action: 'wait' };

const charge = (taskId: string, at: string, more: Partial<LedgerCharge> = {}): LedgerCharge => ({
  taskId,
  workspace: 'default',
  workflow: `batch/one/${taskId}`,
  model: 'image-l',
  at: `2026-11-24T${at}Z`,
  credits: 8,
  answered: true,
  refund: null,
  ...more,
});

const billed = (taskId: string, credits = 8): BilledTask => ({
  taskId,
  workflowId: `batch/one/${taskId}`,
  runId: 'run',
  model: 'image-l',
  workspace: 'default',
  tags: {},
  at: 0,
  credits,
  refunded: 0,
  usage: { total: credits, subscription: credits, permanent: 0 },
  isCharged: true,
});

const refunded = (at: string) => ({ refund: { at: `2026-11-24T${at}Z` } });

it('a cap is passed by what stands charged at any time of one minute, whatever others have left over', () => {
  const charges = ['12:00:50', '12:00:51', '12:02:01'].map((at, n) => charge(`t${n}`, at));
  expect(overCap(CAP, charges)).toEqual([]);
  const more = ['12:02:02', '12:02:03'].map((at, n) => charge(`more${n}`, at));
  const what = '24 credits in 2026-11-24T12:02, and it admits 16';
  expect(overCap(CAP, [...charges, ...more])).toEqual([{ workflowId: 'cap test', what }]);
});

it('a charge that was paid back makes room from then on', () => {
  const charges = (back: string) => [
    charge('first', '12:00:01', refunded(back)),
    charge('second', '12:00:02'),
    charge('third', '12:00:04'),
  ];
  expect(overCap(CAP, charges('12:00:03'))).toEqual([]);
  expect(overCap(CAP, charges('12:00:05'))).toHaveLength(1);
  expect(overBudget(new Map([['batch/one', 16]]), charges('12:00:03'))).toEqual([]);
  expect(overBudget(new Map([['batch/one', 16]]), charges('12:00:05'))).toHaveLength(1);
});

it('a budget is passed by what a workflow and all below it were charged', () => {
  const charges = [charge('a', '12:00:00'), charge('b', '13:00:00')];
  expect(overBudget(new Map([['batch/one', 16]]), charges)).toEqual([]);
  expect(overBudget(new Map([['batch/one', 15]]), charges)).toHaveLength(1);
  expect(overBudget(new Map([['batch/on', 8]]), charges)).toEqual([]);
});

it('a bill is told that lacks a task, has another one, or another price', () => {
  const charges = [charge('a', '12:00:00'), charge('b', '12:00:00'), charge('never seen', '12:00:00')];
  const known = new Set(['a', 'b']);
  expect(unlikeLedger([billed('a'), billed('b'), billed('never seen', 0)], charges, known)).toEqual([]);
  const wrong = unlikeLedger([billed('a', 9), billed('c')], charges, known).map(({ what }) => what);
  expect(wrong).toEqual([
    'the bill has task c, which is not in the ledger',
    'the bill says 9 for task a, the ledger 8',
    'the bill lacks task b',
  ]);
});
