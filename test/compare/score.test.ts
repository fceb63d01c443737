import { expect, it } from 'vitest';
import { scoreOf } from '../../compare/contest/score.ts';
import type { Outcome } from '../../compare/contest/supervisor.ts';
import type { LedgerCharge, ServiceTask } from '../chaos/emulator-control.ts';

const END = '2026-11-23T12:00:00.000Z';
const charge = (order: number, taskId: string): LedgerCharge => ({
  taskId,
  workspace: 'fal',
  workflow: `order/${order}`,
  at: END,
  credits: 8,
  answered: true,
  model: 'image-l',
  refund: null,
});
const task = (id: string, status: ServiceTask['status'] = 'COMPLETED'): ServiceTask => ({
  id,
  status,
  workflow: null,
  completedAt: END,
  fate: { kind: 'none' },
  vanished: false,
});
const result = (seconds: number): Outcome => ({
  kind: 'result',
  bytes: 1,
  at: Date.parse(END) + seconds * 1_000,
});
const failure: Outcome = { kind: 'failure', message: 'no', at: 0 };

it('counts what was bought by the books, and how each order ended by its caller', () => {
  const score = scoreOf({
    orders: [1, 2, 3, 4, 5],
    outcomes: new Map([
      [1, result(2)],
      [2, result(4)],
      [3, failure],
      [4, failure],
    ]),
    charges: [charge(1, 'a'), charge(2, 'b'), charge(2, 'c'), charge(3, 'd'), charge(5, 'e')],
    tasks: ['a', 'b', 'c', 'd', 'e'].map((id) => task(id)),
  });
  expect(score).toEqual({
    generations: 5,
    bought: 5,
    boughtTwice: 1,
    results: 2,
    lost: 1,
    failed: 1,
    stuck: 1,
    delay: { median: 3, p95: 3.9 },
  });
});

it('does not blame a task that was bought after one that had failed', () => {
  const facts = {
    orders: [1],
    outcomes: new Map([[1, result(1)]]),
    charges: [charge(1, 'a'), charge(1, 'b')],
  };
  expect(scoreOf({ ...facts, tasks: [task('a', 'FAILED'), task('b')] }).boughtTwice).toBe(0);
  expect(scoreOf({ ...facts, tasks: [task('a'), task('b')] }).boughtTwice).toBe(1);
});
