import { expect, it } from 'vitest';
import { isNestedDeeper } from '../../src/api/json/nesting.ts';

it.each([
  ['a text', 0, false, 'text'],
  ['an empty object', 0, true, {}],
  ['an object of texts', 1, false, { a: 'x', b: 'y' }],
  ['an empty list in an object', 1, true, { a: 'x', b: [] }],
  ['an object in an object of a list', 2, true, [{ a: 1 }, { a: { b: null } }]],
  ['the same', 3, false, [{ a: 1 }, { a: { b: null } }]],
])('%s is nested deeper than %d levels: %s', (_, most, deeper, value) => {
  expect(isNestedDeeper(value, most)).toBe(deeper);
});

it('more levels than a stack holds are counted as far as needed', () => {
  const nested = Array.from({ length: 100_000 }).reduce((inner) => ({ inner }), {});
  expect(isNestedDeeper(nested, 100)).toBe(true);
});
