import { expect, it } from 'vitest';
import { pagesOf } from '../../../src/workflows/unclaimed-tasks/pages-of.ts';

it.each<[string, string[], number, string[][]]>([
  ['nothing', [], 14, []],
  ['as much as a page holds, with its commas', ['aaaa', 'bbbb', 'cccc'], 14, [['aaaa', 'bbbb'], ['cccc']]],
  ['one each where two do not fit', ['aaaa', 'bbbb'], 13, [['aaaa'], ['bbbb']]],
  ['what is larger than a page alone', ['a', 'b'.repeat(20), 'c'], 14, [['a'], ['b'.repeat(20)], ['c']]],
])('pages hold %s', (_what, items, maxBytes, pages) => {
  expect(pagesOf(items, maxBytes)).toEqual(pages);
});
