import { describe, expect, it } from 'vitest';
import { observe, rateAt, recoversIn, startRate } from '../../../src/policy/pace/rate-controller.ts';
import type { PaceSample, RateState } from '../../../src/policy/pace/types.ts';

const NOW = 1_700_000_000_000;

const sample = (more: Partial<PaceSample>): PaceSample => ({ at: NOW, accepted: 0, refused: 0, ...more });

/** A rate of 100 a second that was lowered five seconds ago and has not grown since. */
const steady = (more: Partial<RateState> = {}): RateState => ({
  known: 100,
  isFirst: false,
  growsSince: NOW,
  loweredAt: NOW - 5_000,
  floor: 1,
  recent: [],
  ...more,
});

describe('the first rate', () => {
  it('is the lowest at least, and what all processes had accepted at the first refusal', () => {
    expect(rateAt(startRate(1, 5, NOW), NOW)).toBe(5);
    const one = observe(startRate(10, 1, NOW), sample({ accepted: 10, refused: 1 }), 0);
    expect(observe(one, sample({ at: NOW + 100, accepted: 8, refused: 1 }), 0).known).toBe(18);
  });

  it('is not added up any more once it was lowered', () => {
    const lowered = steady({ loweredAt: NOW - 100 });
    expect(observe(lowered, sample({ accepted: 300 }), 0).known).toBe(100);
  });
});

describe('a refusal', () => {
  it.each<[string, Partial<PaceSample>, number]>([
    ['to what was accepted', { accepted: 83, refused: 1 }, 83],
    ['by 40 % at most', { accepted: 20, refused: 80 }, 60],
    ['by 7 % at least', { accepted: 97, refused: 1 }, 93],
  ])('lowers the rate %s', (_what, seen, rate) => {
    const state = observe(steady(), sample(seen), 0);
    expect(rateAt(state, NOW)).toBeCloseTo(rate, 9);
    expect(state).toMatchObject({ isFirst: false, loweredAt: NOW, growsSince: NOW });
  });

  it('is judged by what was accepted over the time that is remembered', () => {
    const before = steady({ recent: [sample({ at: NOW - 3_000, accepted: 200 })] });
    expect(observe(before, sample({ accepted: 128, refused: 1 }), 0).known).toBeCloseTo(82);
  });

  it('does not lower it below the lowest rate', () => {
    expect(observe(steady({ floor: 80 }), sample({ refused: 80 }), 0).known).toBe(80);
  });

  it('right after the rate was lowered answers a submit from before, and changes nothing', () => {
    const early = observe(steady({ loweredAt: NOW - 1_499 }), sample({ accepted: 1, refused: 9 }), 0);
    expect(early).toMatchObject({ known: 100, loweredAt: NOW - 1_499 });
    const late = observe(steady({ loweredAt: NOW - 1_500 }), sample({ accepted: 1, refused: 9 }), 0);
    expect(late.known).toBe(60);
  });

  it('lets growth begin after the pause that the API asked for', () => {
    expect(observe(steady(), sample({ refused: 1 }), NOW + 9_000).growsSince).toBe(NOW + 9_000);
    expect(observe(steady(), sample({ accepted: 1 }), NOW + 9_000).growsSince).toBe(NOW + 9_000);
  });
});

describe('a rate that is not refused', () => {
  it('stays for three seconds, then grows by the third power; a slow one takes longer', () => {
    expect(rateAt(steady(), NOW + 3_000)).toBe(100);
    expect(rateAt(steady(), NOW + 23_000)).toBe(200);
    expect(rateAt(steady(), NOW + 900_000)).toBe(1_000);
    expect(rateAt(steady({ known: 0.5 }), NOW + 46_000)).toBe(1);
  });

  it('has recovered after two minutes, slow ones later', () => {
    expect(recoversIn(steady(), NOW + 1_000)).toBe(119_000);
    expect(recoversIn(steady({ known: 0.5 }), NOW + 1_000)).toBe(239_000);
    expect(recoversIn(steady(), NOW + 500_000)).toBe(0);
  });

  it.each([
    [100, 10_000],
    [0.5, 20_000],
    [0.01, 60_000],
  ])('of %d a second remembers %i ms', (known, memory) => {
    const recent = [sample({ at: NOW - memory }), sample({ at: NOW - memory + 1 })];
    const { recent: kept } = observe(steady({ known, recent }), sample({ accepted: 1 }), 0);
    expect(kept.map(({ at }) => NOW - at)).toEqual([memory - 1, 0]);
  });
});
