import { expect, it } from 'vitest';
import { admitsSubmit, pauseBeforeBalance } from '../../src/policy/credit-pace.ts';

const PACE = { initial: 1_000, factor: 2, max: 4_000, window: 60_000 };

it.each([
  [0, 0, 3_000],
  [0, 0.5, 4_000],
  [1, 0.5, 8_000],
  [5, 0.5, 16_000],
])(
  'after %i looks a run looks at the balance by itself rarely, and not with others (%d): in %i ms',
  (looks, random, pause) => {
    expect(pauseBeforeBalance(PACE, looks, random)).toBe(pause);
  },
);

it('there is always a pause', () => {
  expect(pauseBeforeBalance({ ...PACE, initial: 0.01 }, 0, 0.5)).toBe(1);
});

it.each<[is: boolean, available: number | undefined, lowest: number | undefined, price: number | undefined]>([
  [false, undefined, 1, undefined],
  [false, undefined, undefined, 5],
  [false, 0, -1, 0],
  [false, -1, -2, undefined],
  [false, 5, undefined, undefined],
  [false, 5, 5, undefined],
  [true, 5, 4, undefined],
  [true, 10, undefined, 10],
  [false, 9, undefined, 10],
  [false, 9, 8, 10],
  [true, 10, 8, 10],
  [true, 12, 11, 10],
  [false, 10, 10, 10],
  [false, 10, 12, 9],
])(
  'a submit is worth trying: %s, with %d credits, which were %d at least, for %d',
  (is, available, lowest, price) => {
    expect(admitsSubmit({ available, lowest, price })).toBe(is);
  },
);
