import { describe, expect, it } from 'vitest';
import { Alarms } from '../../../src/workflows/unclaimed-tasks/alarms.ts';

const counts = (alarms: Alarms, looked: number): number[] => alarms.news(looked).map(({ count }) => count);

describe('an operator', () => {
  it('is told of what could not be kept or understood, each kind in words', () => {
    const alarms = new Alarms(undefined);
    Object.assign(alarms.counts, { malformed: 1, evicted: 2, refused: 3 });
    expect(alarms.news(0)).toEqual([
      { message: expect.stringMatching(/^tasks had to be forgotten early/), count: 2 },
      { message: expect.stringMatching(/^claims were not taken/), count: 3 },
      { message: expect.stringMatching(/could not be understood$/), count: 1 },
    ]);
  });

  it('is told once a minute at most, and only of what is new', () => {
    const alarms = new Alarms(undefined);
    expect(counts(alarms, 0)).toEqual([]);
    alarms.counts.evicted = 5;
    expect(counts(alarms, 1)).toEqual([5]);
    alarms.counts.evicted = 7;
    alarms.counts.refused = 1;
    expect(counts(alarms, 60_000)).toEqual([]);
    expect(counts(alarms, 60_001)).toEqual([2, 1]);
    expect(counts(alarms, 200_000)).toEqual([]);
  });

  it('is not told again of what an earlier run has counted', () => {
    const alarms = new Alarms({ malformed: 1, evicted: 2, refused: 3 });
    expect(counts(alarms, 0)).toEqual([]);
    alarms.counts.malformed = 2;
    expect(counts(alarms, 0)).toEqual([1]);
  });
});
