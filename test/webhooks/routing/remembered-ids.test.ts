import { describe, expect, it } from 'vitest';
import { RememberedIds } from '../../../src/webhooks/routing/remembered-ids.ts';

const id = (i: number): string => `evt_${i.toString(36)}`;

describe('remembered ids', () => {
  it('are at least the latest ones of the given number, and at most twice as many', () => {
    const ids = new RememberedIds(1_000);
    for (let i = 0; i < 10_500; i++) ids.add(id(i));
    const known = Array.from({ length: 10_500 }, (_, i) => ids.has(id(i)));
    expect(known.slice(-1_000)).not.toContain(false);
    expect(known.filter(Boolean).length).toBeLessThanOrEqual(2_000);
  });

  it('are counted once, however often they come', () => {
    const ids = new RememberedIds(10);
    for (let i = 0; i < 9; i++) ids.add(id(i));
    for (let i = 0; i < 100; i++) ids.add(id(3));
    expect(Array.from({ length: 9 }, (_, i) => ids.has(id(i)))).not.toContain(false);
  });

  it('are not taken for one another', () => {
    const ids = new RememberedIds(200_000);
    let mistaken = 0;
    for (let i = 0; i < 400_000; i++) {
      if (ids.has(id(i))) mistaken += 1;
      ids.add(id(i));
    }
    expect(mistaken).toBe(0);
    expect(ids.has(id(399_999))).toBe(true);
  });

  it('of nobody are none', () => {
    expect(new RememberedIds(10).has(id(1))).toBe(false);
  });
});
