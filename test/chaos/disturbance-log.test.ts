import { expect, it } from 'vitest';
import { DisturbanceLog } from './disturbance-log.ts';

const RUN = 'generation/a';

it('an answer may be hit by a kill, an outage, a freeze or a Reset of its run in the three seconds after it', () => {
  const log = new DisturbanceLog();
  log.killed(11_000);
  log.away(20_000, 30_000);
  log.frozen(40_000, 50_000);
  log.reset(RUN, 61_000);
  const hits = (at: number): boolean => log.mayHaveHit(RUN, at);
  expect([10_000, 12_000].map(hits)).toEqual([true, false]);
  expect([15_000, 19_000, 29_000, 31_000].map(hits)).toEqual([false, true, true, false]);
  // Whoever was frozen deals with what has come meanwhile.
  expect([45_000, 52_000, 54_000].map(hits)).toEqual([true, true, false]);
  expect(hits(60_000)).toBe(true);
  expect(log.mayHaveHit('generation/b', 60_000)).toBe(false);
});

it('what unclaimed-tasks was told before it was terminated may be forgotten, and nothing that came later', () => {
  const log = new DisturbanceLog();
  expect(log.mayHaveForgotten(0)).toBe(false);
  log.evidenceForgotten(1_000);
  expect(log.mayHaveForgotten(900)).toBe(true);
  expect(log.mayHaveForgotten(1_100)).toBe(false);
});
