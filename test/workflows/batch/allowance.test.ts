import { expect, it } from 'vitest';
import { Allowance } from '../../../src/workflows/batch/allowance.ts';

it('lets the first row run alone, with all that there is, and the others at twice the dearest', () => {
  const allowance = new Allowance(100);
  expect(allowance.next()).toBe(100);
  allowance.reserve(100);
  expect(allowance.next()).toBeUndefined();
  allowance.settle(100, 8);
  expect(allowance.next()).toBe(16);
});

it('comes back from rows that cost nothing, also where their shares were fractions', () => {
  const allowance = new Allowance(0.7);
  for (const share of [0.1, 0.2, 0.3]) allowance.reserve(share);
  for (const share of [0.1, 0.2, 0.3]) allowance.settle(share, 0);
  expect(allowance.next()).toBeCloseTo(0.7);
});

it('keeps what running rows may still cost when it goes on in another run', () => {
  const allowance = new Allowance(40, 8, 8);
  allowance.reserve(16);
  allowance.reserve(16);
  expect(allowance.next()).toBeUndefined();
  allowance.settle(16, 8);
  expect(allowance.next()).toBe(8);
});
