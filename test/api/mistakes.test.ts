import { describe, expect, it } from 'vitest';
import { firstError, listErrors } from '../../src/api/input/mistakes.ts';
import { shown, shownName } from '../../src/api/text/shown.ts';

describe('the list of what is wrong with a request', () => {
  it('holds the first mistake of each field, made only where it is listed', () => {
    const never = (): string => {
      throw new Error('made in vain');
    };
    const found = [
      { path: 'a', message: 'is wrong' },
      { path: 'a', message: never },
      { path: 'b', message: () => 'is missing' },
    ];
    expect(listErrors(found)).toEqual([
      { path: 'a', message: 'is wrong' },
      { path: 'b', message: 'is missing' },
    ]);
  });

  it('holds fifty, and how many more there are', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ path: `f${n}`, message: 'x' }));
    expect(listErrors(many(50))).toEqual(many(50));
    expect(listErrors(many(53))).toEqual([...many(50), { path: 'request', message: 'has 3 more mistakes' }]);
    expect(listErrors(many(51), 'input').at(-1)?.path).toBe('input');
  });

  it('cuts what is longer than a person reads', () => {
    const [error] = listErrors([{ path: 'p'.repeat(201), message: 'm'.repeat(1_001) }]);
    expect(error).toEqual({ path: `${'p'.repeat(199)}…`, message: `${'m'.repeat(999)}…` });
    const whole = { path: 'p'.repeat(200), message: 'm'.repeat(1_000) };
    expect(listErrors([whole])).toEqual([whole]);
  });

  it('is one line where there is room for one', () => {
    const one = { path: 'prompt', message: 'is missing' };
    expect(firstError([one])).toBe('prompt is missing');
    expect(firstError([one, one, one])).toBe('prompt is missing (and 2 more)');
    expect(firstError([])).toBe('the request is invalid');
  });
});

describe('a value in a message', () => {
  it.each<[unknown, string]>([
    ['fox', '"fox"'],
    ['x'.repeat(46), `"${'x'.repeat(46)}"`],
    ['x'.repeat(47), 'a string of 47 characters'],
    ['🦊'.repeat(47), 'a string of 47 characters'],
    ['x'.repeat(999), 'a string of 999 characters'],
    ['"'.repeat(24), 'a string of 24 characters'],
    [1.5, '1.5'],
    [false, 'false'],
    [null, 'null'],
    [undefined, 'nothing'],
    [[1, 2], 'a list of 2'],
    [{ secret: 1 }, 'an object'],
    [Symbol('x'), 'a symbol'],
    [1n, 'a bigint'],
  ])('like %o is shown as %s', (value, words) => {
    expect(shown(value)).toBe(words);
  });

  it('has a name of sixty characters at most, without control characters', () => {
    expect(shownName('x'.repeat(60))).toBe('x'.repeat(60));
    expect(shownName('x'.repeat(61))).toBe(`${'x'.repeat(59)}…`);
    expect(shownName('a\u0007b\u202ec')).toBe('a?b?c');
  });
});
