import { expect, it } from 'vitest';
import { matches } from './known.ts';

it.each([
  ['happy/*/reset to 1', 'happy/after submitTask#1/reset to 1', true],
  ['happy/*/reset to 1', 'happy/after submitTask#1/reset to 12', false],
  ['lost, told (late)/a.b/*', 'lost, told (late)/a.b/reset to 1', true],
  ['lost, told (late)/a.b/*', 'lost, told (late)/axb/reset to 1', false],
])('the pattern %s and the cell %s: %s', (pattern, cell, fits) => {
  expect(matches(pattern, cell)).toBe(fits);
});
