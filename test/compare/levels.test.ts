import { describe, expect, it } from 'vitest';
import { fateOf, LEVEL_NAMES, type LevelName, roleOf } from '../../compare/contest/levels.ts';

const ORDERS = Array.from({ length: 200 }, (_, index) => index + 1);
const lost = (seed: number): number[] =>
  ORDERS.filter((order) => fateOf(seed, 'lost answers', order, 1) === 'lost');

describe('what goes wrong', () => {
  it('follows from the seed, the order and how often it was sent, on any machine', () => {
    expect(lost(7).slice(0, 8)).toMatchInlineSnapshot(`
      [
        2,
        5,
        6,
        20,
        33,
        34,
        49,
        70,
      ]
    `);
    expect(lost(7)).toEqual(lost(7));
    expect(lost(7)).not.toEqual(lost(8));
    const again = lost(7).map((order) => fateOf(7, 'lost answers', order, 2));
    expect(new Set(again)).toEqual(new Set(['taken', 'lost']));
  });

  it('strikes about as many as its level says', () => {
    expect(lost(7).length / ORDERS.length).toBeCloseTo(0.1, 1);
    const roles = (level: LevelName) => Map.groupBy(ORDERS, (order) => roleOf(7, level, order));
    expect([...roles('caller killed').keys()].sort()).toEqual(['answer', 'plain', 'waits']);
    expect([...roles('API away').keys()].sort()).toEqual(['meanwhile', 'plain', 'waits']);
    expect(roles('Reset').get('reset')?.length).toBeGreaterThan(10);
  });

  it('is nothing where nothing is to go wrong', () => {
    for (const order of ORDERS)
      expect([fateOf(7, 'none', order, 1), roleOf(7, 'none', order)]).toEqual(['taken', 'plain']);
    expect(LEVEL_NAMES).toHaveLength(8);
  });
});
