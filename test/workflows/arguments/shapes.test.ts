import { describe, expect, it } from 'vitest';
import type { Shape } from '../../../src/workflows/arguments/shapes.ts';
import * as shapes from '../../../src/workflows/arguments/shapes.ts';

const { amount, count, flag, list, number, object, oneOf, optional, orNull } = shapes;
const { positive, record, table, text, tuple } = shapes;

const CASES: Readonly<Record<string, [shape: Shape<unknown>, taken: unknown[], refused: unknown[]]>> = {
  text: [text(3), ['', 'abc'], ['abcd', 7, null, undefined, ['a'], { length: 1 }]],
  number: [number, [0, -1e15, 1e15, 0.5], [-1.1e15, 1.1e15, Number.NaN, Infinity, '5', null]],
  amount: [amount, [0, 0.5, 1e15], [-0.5, 1.1e15, '5']],
  positive: [positive, [0.5], [0, -1, '5']],
  count: [count, [0, 7], [0.5, -1, 1e300, '5']],
  flag: [flag, [true, false], [0, 'true', null, undefined]],
  record: [record, [{}, { a: 1 }], [[], null, 'text', 7]],
  'one of': [oneOf<'a' | 7 | null>('a', 7, null), ['a', 7, null], ['b', '7', undefined]],
  optional: [optional(flag), [undefined, true], [null, 0]],
  'or null': [orNull(flag), [null, true], [undefined, 0]],
  list: [list(flag, 2), [[], [true, false]], [[true, true, true], [1], [true, 1], { length: 0 }, 'ab', null]],
  'a list of any length': [list(flag), [Array(1_000).fill(true)], [[...Array(999).fill(true), 1]]],
  table: [table(flag), [{}, { a: true, b: false }], [{ a: true, b: 1 }, [true], null]],
  tuple: [
    tuple(flag, optional(count)),
    [[true], [true, 5], [true, undefined]],
    [[], [5], [true, 'x'], [true, 5, 6], { 0: true, length: 1 }, null],
  ],
  object: [
    object<{ a: boolean; b?: number | undefined }>({ a: flag, b: optional(count) }),
    [{ a: true }, { a: true, b: 5 }, { a: true, more: 'than that' }],
    [{}, { a: 1 }, { a: true, b: 'x' }, [true], null, 'text'],
  ],
};

describe.each(Object.entries(CASES))('%s', (_, [shape, taken, refused]) => {
  it('takes what it is for, up to its limits', () => {
    expect(taken.filter((value) => !shape(value))).toEqual([]);
  });

  it('takes nothing else, and throws over nothing', () => {
    expect(refused.filter((value) => shape(value))).toEqual([]);
  });
});
