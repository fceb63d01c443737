import { describe, expect, it } from 'vitest';
import { validateInput } from '../../../src/api/input/validate-input.ts';
import { type Rule, violations } from '../../../src/api/models/rule.ts';

const broken = (rule: Rule, input: Record<string, unknown>) => violations([rule], input);

describe('a rule between fields', () => {
  const when = { mode: ['edit'], source: 'given' as const };
  const given = { mode: 'edit', source: 'a' };

  it.each<[string, unknown, unknown, string | undefined]>([
    ['is left out', 'absent', 1, 'must be left out with mode edit and source'],
    ['is one of its values', [4, 6], 5, 'must be 4 or 6 with mode edit and source; got 5'],
    ['is one of its values', [4, 6], 6, undefined],
    ['is not too large', { maximum: 4 }, 5, 'must be at most 4 with mode edit and source; got 5'],
    ['is not too large', { maximum: 4 }, 4, undefined],
    ['is a number', { maximum: 4 }, '9', undefined],
    [
      'has enough',
      { minItems: 2 },
      [1],
      'must be a list of at least 2 with mode edit and source; got a list of 1',
    ],
    ['has enough', { minItems: 2 }, [1, 2], undefined],
    [
      'has not too many',
      { maxItems: 1 },
      [1, 2],
      'must be a list of at most 1 with mode edit and source; got a list of 2',
    ],
    ['has not too many', { maxItems: 1 }, [1], undefined],
    [
      'has as many as it may',
      { minItems: 1, maxItems: 2 },
      [],
      'must be a list of 1 to 2 with mode edit and source; got a list of 0',
    ],
    ['is a list', { minItems: 1, maxItems: 2 }, 'text', undefined],
    ['is whatever it is', undefined, 'text', undefined],
  ])('says whether a field %s: %j for %j', (_what, allowance, value, message) => {
    const rule = { says: 'so it is', when, allow: { field: allowance } } as Rule; // of any shape, to try each
    const expected = message === undefined ? [] : [{ path: 'field', message: `${message} (so it is)` }];
    expect(broken(rule, { ...given, field: value })).toEqual(expected);
    // Without the field, or with nothing in it, there is nothing to blame.
    expect(broken(rule, given)).toEqual([]);
    expect(broken(rule, { ...given, field: null })).toEqual([]);
  });

  it('rests unless all of its conditions hold', () => {
    const rule: Rule = { says: 'no', when, allow: { field: 'absent' } };
    expect(broken(rule, { ...given, field: 1 })).toHaveLength(1);
    for (const change of [{ mode: 'text' }, { mode: undefined }, { source: undefined }, { source: null }]) {
      expect(broken(rule, { ...given, field: 1, ...change })).toEqual([]);
    }
    const unconditional: Rule = {
      says: 'no',
      when: { mode: undefined },
      allow: { field: 'absent' },
    } as unknown as Rule;
    expect(broken(unconditional, { ...given, field: 1 })).toEqual([]);
  });
});

describe('references to images', () => {
  const said = (prompt: string, count: number, more: object = {}) =>
    validateInput('image-n', {
      prompt,
      image_urls: Array(count).fill('https://example.com/a.png'),
      ...more,
    }).map(({ message }) => message);

  it.each([
    ['@Image', 0, 'has @Image without a number, which needs exactly one image; image_urls has 0 images'],
    ['@Image', 2, 'has @Image without a number, which needs exactly one image; image_urls has 2 images'],
    ['@Image2', 1, 'names @Image2, counted from 1, but image_urls has 1 image'],
    ['@Image3', 2, 'names @Image3, counted from 1, but image_urls has 2 images'],
    [
      `@Image${'9'.repeat(40)}`,
      1,
      `names @Image${'9'.repeat(14)}, counted from 1, but image_urls has 1 image`,
    ],
  ])('%s with %i images: %s', (prompt, count, message) => {
    expect(said(prompt, count)).toEqual([message]);
  });

  it('are not judged where the lists are none', () => {
    expect(validateInput('image-n', { prompt: '@Image1' })).toEqual([
      { path: 'input.prompt', message: 'names @Image1, counted from 1, but image_urls has 0 images' },
    ]);
    expect(said('@Image2', 1, { elements: 'text' })).toHaveLength(1); // the field's own mistake
  });
});
