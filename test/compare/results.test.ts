import { expect, it } from 'vitest';
import { keptResults, mergeResults, type Results } from '../../compare/report/results.ts';

const [kept] = keptResults();
if (kept === undefined) throw new Error('compare/results is empty');

/** A later run of one level, in which `fal` alone took part. */
function later(changed: Partial<Results>): Results {
  const fal = kept?.levels['lost answers']?.fal;
  if (fal === undefined) throw new Error('no such result is kept');
  return { ...(kept as Results), levels: { 'lost answers': { fal: { ...fal, bought: 1 } } }, ...changed };
}

it('keeps what a later run did not run', () => {
  const { levels } = mergeResults(kept, later({}));
  expect(levels['lost answers']?.fal?.bought).toBe(1);
  expect(levels['lost answers']?.darkroom).toEqual(kept.levels['lost answers']?.darkroom);
  expect(levels.Reset).toEqual(kept.levels.Reset);
});

it.each([
  ['packages', { versions: { replicate: '9.0.0' } }],
  ['pace', { pace: 1 }],
  ['speed', { speed: 8 }],
  ['number of orders', { orders: 20 }],
])('puts nothing of another %s under the same heading', (_what, changed) => {
  expect(mergeResults(kept, later(changed))).toEqual(later(changed));
});
