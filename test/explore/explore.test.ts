import { expect, it } from 'vitest';
import { patience } from '../patience.ts';
import { explore } from './explore.ts';
import { matches } from './matches.ts';

it.each([
  ['happy/*/reset to 1', 'happy/after submitTask#1/reset to 1', true],
  ['happy/*/reset to 1', 'happy/after submitTask#1/reset to 12', false],
  ['lost, told (late)/a.b/*', 'lost, told (late)/a.b/reset to 1', true],
  ['lost, told (late)/a.b/*', 'lost, told (late)/axb/reset to 1', false],
])('the pattern %s and the cell %s: %s', (pattern, cell, fits) => {
  expect(matches(pattern, cell)).toBe(fits);
});

const say = (): void => undefined;

it('the rule holds in some cells, drawn by a seed', { timeout: patience(900_000) }, async () => {
  const { violations, cells } = await explore({ sample: { cells: 8, seed: 1 }, say });
  expect(violations.filter(({ isRepeated }) => isRepeated)).toEqual([]);
  expect(cells).toBe(8);
});
