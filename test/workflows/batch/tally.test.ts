import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../../src/api/records/usage.ts';
import type { RowEnd } from '../../../src/workflows/batch/row.ts';
import { Tally } from '../../../src/workflows/batch/tally.ts';

const NONE = { begun: '', completed: '' };
const NOTHING = {
  counts: { completed: 0, failed: 0, refused: 0 },
  usage: NO_USAGE,
  charged: NO_USAGE,
  known: NONE,
};
const credits = (total: number) => ({ total, subscription: total, permanent: 0 });
const end = (isCompleted: boolean, cost: number, charged: number, startedAt: number): RowEnd => ({
  isCompleted,
  usage: credits(cost),
  charged: credits(charged),
  startedAt,
});

describe('what has become of the rows of a batch', () => {
  it.each<[status: string, completed: number, failed: number]>([
    ['COMPLETED', 2, 0],
    ['PARTIAL', 1, 1],
    ['FAILED', 0, 2],
  ])('is %s with %i of two rows completed and %i failed', (status, completed, failed) => {
    const tally = new Tally(NOTHING, 0);
    for (let row = 0; row < completed; row += 1) tally.count(end(true, 8, 8, 5));
    for (let row = 0; row < failed; row += 1) tally.count(end(false, 8, 8, 5));
    const sums = { usage: credits(16), charged: credits(16), known: NONE };
    expect(tally.result(2, null)).toEqual({ status, rows: 2, completed, failed, refused: 0, ...sums });
  });

  it('is PARTIAL where the budget did not admit a row, and a row that cannot be run has failed', () => {
    const tally = new Tally(NOTHING, 0);
    tally.count(end(true, 8, 8, 5));
    tally.refuse('nothing is left');
    tally.countUnfit();
    expect(tally.result(3, null)).toMatchObject({
      status: 'PARTIAL',
      completed: 1,
      failed: 1,
      refused: 1,
      refusal: 'nothing is left',
    });
  });

  it('charges nothing that an earlier run of the batch has told: what was started before that one ended', () => {
    const tally = new Tally({ ...NOTHING, charged: credits(2) }, 100);
    tally.count(end(true, 8, 8, 99));
    tally.count(end(false, 5, 5, 100));
    tally.add(end(false, 4, 3, 101));
    expect(tally.usage).toEqual(credits(17));
    expect([null, 99, 100, 101].map((told) => tally.result(9, told).charged.total)).toEqual([18, 10, 3, 0]);
  });

  it('goes on in the next run, and what was handed on there does not change any more', () => {
    const tally = new Tally(NOTHING, 0);
    tally.count(end(true, 8, 6, 5));
    tally.add(end(false, 4, 4, 6));
    const carried = tally.carry(null);
    expect(carried).toEqual({
      counts: { completed: 1, failed: 0, refused: 0 },
      usage: credits(12),
      charged: credits(10),
      known: NONE,
    });
    new Tally(carried, 7).refuse('nothing is left');
    tally.refuse('nothing is left');
    expect(carried.counts.refused).toBe(0);
    expect(tally.carry(5).charged).toEqual(credits(4));
  });
});
