import { describe, expect, it } from 'vitest';
import { type Patience, triedAgain, triedFor } from '../../src/policy/patience.ts';

const MINUTE = 60_000;

describe('patience', () => {
  it('counts the time in which somebody tried', () => {
    let patience: Patience | undefined;
    for (let at = 0; at <= 3 * MINUTE; at += MINUTE) patience = triedAgain(patience, at, MINUTE);
    expect(triedFor(patience as Patience)).toBe(3 * MINUTE);
  });

  it('begins anew after a time in which nobody tried: two tries on both sides of an outage prove nothing', () => {
    const before = triedAgain(undefined, 0, 2_000);
    expect(triedFor(triedAgain(before, 60 * MINUTE, 2_000))).toBe(0);
  });

  it('bears with a try that comes somewhat late', () => {
    const before = triedAgain(undefined, 0, MINUTE);
    const latest = 2 * MINUTE + 10_000;
    expect(triedFor(triedAgain(before, latest, MINUTE))).toBe(latest);
    expect(triedFor(triedAgain(before, latest + 1, MINUTE))).toBe(0);
  });
});
