import { describe, expect, it } from 'vitest';
import { observe, rateAt, recoversIn, startRate } from '../../../src/policy/pace/rate-controller.ts';
import type { PaceSample, RateState } from '../../../src/policy/pace/types.ts';

const NOW = 1_700_000_000_000;

const sample = (more: Partial<PaceSample>): PaceSample => ({
  at: NOW,
  accepted: 0,
  refused: 0,
  held: 0,
  paused: 0,
  ...more,
});

/** A rate of 100 a second that was lowered five seconds ago and has not grown since. */
const steady = (more: Partial<RateState> = {}): RateState => ({
  known: 100,
  searching: false,
  sureness: 1,
  growsSince: NOW,
  loweredAt: NOW - 5_000,
  floor: 1,
  spread: 1,
  recent: [],
  ...more,
});

describe('the search for a limit', () => {
  it('doubles the rate every three seconds, as far as it is used', () => {
    const used = observe(startRate(10, 1, NOW), sample({ at: NOW + 1_000, accepted: 10, refused: 40 }), 0);
    expect(rateAt(used, NOW + 3_000)).toBeCloseTo(20);
    const hardlyUsed = observe(
      startRate(10, 1, NOW),
      sample({ at: NOW + 1_000, accepted: 10, refused: 15 }),
      0,
    );
    expect(rateAt(hardlyUsed, NOW + 3_400)).toBe(20);
    expect(rateAt(startRate(10, 1, NOW), NOW + 30_000)).toBe(10);
  });

  it('begins at the lowest rate at least, and adds up what processes had accepted at the first refusal', () => {
    expect(rateAt(startRate(1, 5, NOW), NOW)).toBe(5);
    const one = observe(startRate(10, 1, NOW), sample({ accepted: 10, refused: 1 }), 0);
    expect(observe(one, sample({ at: NOW + 100, accepted: 8, refused: 1 }), 0).known).toBe(18);
  });
});

describe('a refusal', () => {
  it.each<[string, Partial<PaceSample>, number]>([
    ['to what was accepted', { accepted: 97, refused: 1 }, 97],
    ['by 7 % at most', { accepted: 90, refused: 1 }, 93],
    ['to no more than it was', { accepted: 120, refused: 1 }, 100],
    ['by 7 % at most for two refusals', { accepted: 90, refused: 2 }, 93],
    ['by 7 % at most for as many as 15 %', { accepted: 84, refused: 16 }, 93],
    ['by 7 % at most for fewer than 15 %', { accepted: 84, refused: 15 }, 93],
    ['to what was accepted, for more than 15 %', { accepted: 83, refused: 17 }, 83],
    ['by half at most, for more than 15 %', { accepted: 20, refused: 80 }, 50],
    ['by 15 % at least, for more than 15 %', { accepted: 200, refused: 100 }, 85],
    ['by 7 % at most for pauses of a fifth of the time', { accepted: 70, refused: 1, paused: 200 }, 93],
    ['to a fifth above what was accepted, for longer pauses', { accepted: 70, refused: 1, paused: 201 }, 84],
    ['by 40 % at most, for longer pauses', { accepted: 10, refused: 1, paused: 500 }, 60],
    ['by 7 % at least, for longer pauses', { accepted: 90, refused: 1, paused: 500 }, 93],
    ['not below the lowest rate', { accepted: 20, refused: 80, at: NOW }, 50],
  ])('lowers the rate %s', (_what, seen, rate) => {
    const state = observe(steady(), sample(seen), 0);
    expect(rateAt(state, NOW)).toBeCloseTo(rate, 9);
    expect(state).toMatchObject({ searching: false, loweredAt: NOW, growsSince: NOW, spread: 1 });
  });

  it('is judged by what was accepted and paused over the whole time since the rate was lowered', () => {
    const before = steady({ recent: [sample({ at: NOW - 3_000, accepted: 200 })] });
    expect(observe(before, sample({ accepted: 188, refused: 1 }), 0).known).toBeCloseTo(97);
    const paused = steady({ recent: [sample({ at: NOW - 3_000, accepted: 200, paused: 300 })] });
    expect(observe(paused, sample({ accepted: 80, refused: 1, paused: 200 }), 0).known).toBeCloseTo(93);
    const manyPauses = steady({ recent: [sample({ at: NOW - 3_000, accepted: 200, paused: 700 })] });
    expect(observe(manyPauses, sample({ accepted: 80, refused: 1, paused: 200 }), 0).known).toBeCloseTo(84);
  });

  it('does not lower it below the lowest rate', () => {
    expect(observe(steady({ floor: 80 }), sample({ refused: 80 }), 0).known).toBe(80);
  });

  it.each([
    [0, 0.03],
    [10, 0.5],
    [40, 1],
  ])('after %i accepted makes the rate grow again at a pace of %d', (accepted, sureness) => {
    expect(observe(steady(), sample({ accepted, refused: 1 }), 0).sureness).toBe(sureness);
  });

  it('right after the rate was lowered answers a submit from before, and changes nothing', () => {
    const early = observe(steady({ loweredAt: NOW - 1_499 }), sample({ accepted: 1, refused: 9 }), 0);
    expect(early).toMatchObject({ known: 100, loweredAt: NOW - 1_499 });
    const late = observe(steady({ loweredAt: NOW - 1_500 }), sample({ accepted: 1, refused: 9 }), 0);
    expect(late.known).toBe(50);
  });

  it('lets growth begin after the pause that the API asked for', () => {
    expect(observe(steady(), sample({ refused: 1 }), NOW + 9_000).growsSince).toBe(NOW + 9_000);
    expect(observe(steady(), sample({ accepted: 1 }), NOW + 9_000).growsSince).toBe(NOW + 9_000);
  });
});

describe('a rate that is not refused', () => {
  it('stays for ten units of time, then grows by the third power', () => {
    expect(rateAt(steady(), NOW + 10_000)).toBe(100);
    expect(rateAt(steady(), NOW + 30_000)).toBe(200);
    expect(rateAt(steady(), NOW + 900_000)).toBe(1_000);
    // Units of two seconds: slow limits take longer to show themselves, unsure ones are corrected sooner.
    const slow = steady({ known: 1, sureness: 0.5 });
    expect(rateAt(slow, NOW + 60_000)).toBe(2);
  });

  it('has recovered after two minutes, slow ones later; pauses do not count', () => {
    expect(recoversIn(steady(), NOW + 1_000)).toBe(119_000);
    expect(recoversIn(steady({ known: 0.5 }), NOW + 1_000)).toBe(239_000);
    expect(recoversIn(steady(), NOW + 500_000)).toBe(0);
    const paused = observe(steady({ growsSince: NOW - 5_000 }), sample({ accepted: 1, paused: 400 }), 0);
    expect(paused.growsSince).toBe(NOW - 4_600);
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

describe('what the queue gets beyond the rate, as its partitions run dry', () => {
  /** Two samples, `apart` milliseconds from each other, the second with what has flowed between them. */
  const spreadAfter = (apart: number, flow: Partial<PaceSample>, more: Partial<RateState> = {}): number =>
    observe(steady({ spread: 2, recent: [sample({ at: NOW - apart })], ...more }), sample(flow), 0).spread;

  it.each<[string, number, Partial<PaceSample>, number]>([
    ['stays where the rate is used', 2_000, { accepted: 200 }, 2],
    ['stays where the rate is nearly used', 2_200, { accepted: 200 }, 2],
    ['grows where it is not', 2_000, { accepted: 100, held: 60 }, 2.5],
    ['grows where it is short by 15 %', 2_300, { accepted: 200 }, 2.3],
    ['grows by 40 % at most', 2_000, { accepted: 100 }, 2.8],
    ['falls where more flows', 2_000, { accepted: 250 }, 1.6],
    ['falls where 3 % more flows', 1_940, { accepted: 200 }, 1.94],
    ['does not fall below the rate', 2_000, { accepted: 500 }, 1],
    ['is nothing where nothing flows', 2_000, {}, 1],
    ['is judged after one and a half seconds', 1_500, { accepted: 75 }, 2.8],
    ['is not judged earlier', 1_499, { accepted: 75 }, 2],
    ['is judged by the last three seconds', 2_999, { accepted: 100 }, 2.8],
    ['is not judged by what was before', 3_000, { accepted: 100 }, 2],
  ])('%s', (_what, apart, flow, spread) => {
    expect(spreadAfter(apart, flow)).toBeCloseTo(spread, 9);
  });

  it('counts refusals as flow, four times the rate is the most, and a search needs none', () => {
    const settling = { loweredAt: NOW - 1_000 };
    expect(spreadAfter(2_000, { accepted: 100, refused: 30, held: 30 }, settling)).toBeCloseTo(2.5);
    expect(spreadAfter(2_000, { accepted: 100 }, { spread: 3.5 })).toBe(4);
    expect(spreadAfter(2_000, { accepted: 100 }, { searching: true })).toBe(1);
  });
});
