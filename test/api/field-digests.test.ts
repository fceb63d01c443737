import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { containsFields, type FieldDigests, fieldDigests } from '../../src/api/input/field-digests.ts';
import { canComeFrom } from '../../src/api/input/same-input.ts';

/** Whether a task with that normalized input can be of a body. */
const contains = (normalized: unknown, sent: unknown): boolean =>
  containsFields(fieldDigests(normalized), fieldDigests(sent));

/** As both sides see it: through JSON. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the digests of an input', () => {
  it('tell whether every field that was sent stands in it unchanged; the API may have added others', () => {
    const normalized = { prompt: 'fox', n: 1, image_urls: ['a', 'b'], extra: { deep: [1], wide: true } };
    expect(contains(normalized, { prompt: 'fox' })).toBe(true);
    expect(contains(normalized, { image_urls: ['a', 'b'], extra: { wide: true, deep: [1] } })).toBe(true);
    expect(contains(normalized, { prompt: 'Fox' })).toBe(false);
    expect(contains(normalized, { image_urls: ['b', 'a'] })).toBe(false);
    expect(contains(normalized, { prompt: 'fox', seed: 1 })).toBe(false);
    expect(contains(normalized, { n: '1' })).toBe(false);
    expect(contains(null, { prompt: 'fox' })).toBe(false);
  });

  it.each([
    [{ a: [1, 23] }, { a: [12, 3] }],
    [{ a: [1, 2] }, { a: ['1,2'] }],
    [{ a: [] }, { a: {} }],
    [{ a: [1] }, { a: { 0: 1 } }],
    [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }],
    [{ a: { b: 1, c: 2 } }, { a: { b: 2, c: 1 } }],
    [{ a: { b: 1, c: 2 } }, { a: { 'b":1,"c': 2 } }],
    [{ a: { b: null } }, { a: {} }],
    [{ a: [null] }, { a: [] }],
    [{ a: 'x'.repeat(60) }, { a: 'x'.repeat(61) }],
    [{ ['n'.repeat(61)]: 1 }, { ['n'.repeat(62)]: 1 }],
  ])('differ for %j and %j', (one, other) => {
    expect([contains(one, other), contains(other, one)]).toEqual([false, false]);
  });

  it('are equal whatever the order of fields and whatever is undefined within', () => {
    const one = { a: { x: 1, y: { p: 1, q: [2, { r: 3, s: 4 }] } } };
    const other = { a: { y: { q: [2, { s: 4, r: 3 }], p: 1 }, x: 1, z: undefined } };
    expect(fieldDigests(other)).toEqual(fieldDigests(one));
    expect(fieldDigests({ a: [undefined] })).toEqual(fieldDigests({ a: [null] }));
  });

  it('have ten characters each, under names of sixty at most, and one for all where there are too many', () => {
    const digests = fieldDigests({ ['n'.repeat(60)]: 1, ['n'.repeat(61)]: 2, short: 'text' });
    const names = Object.keys(digests);
    expect(names[0]).toBe('n'.repeat(60));
    expect(names[1]).toMatch(/^~[\w-]{10}$/);
    for (const digest of Object.values(digests)) expect(digest).toMatch(/^[\w-]{10}$/);
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]));
    expect(Object.keys(fieldDigests(many(64)))).toHaveLength(64);
    expect(Object.keys(fieldDigests(many(65)))).toEqual(['*']);
    let deep: unknown = 1;
    for (let n = 0; n < 70; n += 1) deep = [deep];
    expect(fieldDigests({ deep })).toEqual({ deep: '!' });
    expect(fieldDigests('text')).toEqual({});
  });

  it('are those of versions before and after, whose claims and tasks are compared with them', () => {
    expect(fieldDigests({ prompt: 'a fox', elements: [{ url: 'u', image: null }, 1, 'é'] })).toEqual({
      prompt: 'OraGnWcr4m',
      elements: 'LMJpvY5DMf',
    });
  });

  it('are equal whatever space the API trims, and however it composes accents', () => {
    const sent = { prompt: '  a cafe\u0301 \n', tags: [{ name: 'x ' }] };
    expect(fieldDigests({ prompt: 'a caf\u00e9', tags: [{ name: 'x' }] })).toEqual(fieldDigests(sent));
    expect(contains({ prompt: 'acaf\u00e9' }, { prompt: 'a caf\u00e9' })).toBe(false);
  });

  it('leave out what is null: it says no more than what is not there', () => {
    expect(fieldDigests({ prompt: 'fox', seed: null, n: undefined })).toEqual(
      fieldDigests({ prompt: 'fox' }),
    );
  });

  it('are equal for equal JSON alone, in whatever order its fields are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [a, b] = [{ field: one }, { field: other }].map((input) => fieldDigests(plain(input)));
        expect(a).toEqual(fieldDigests(plain({ field: one })));
        const isSame = canonical(one) === canonical(other);
        expect(JSON.stringify(a) === JSON.stringify(b)).toBe(isSame);
      }),
    );
  });

  it('are few and short, whatever strangers send, and hold nothing of it', () => {
    const bytes = (digests: FieldDigests): number => JSON.stringify(digests).length;
    const names = Array.from({ length: 64 }, (_, n) => `${'n'.repeat(5_000)}${n}`);
    const long = fieldDigests(Object.fromEntries(names.map((name) => [name, 'a secret'.repeat(999)])));
    expect(Object.keys(long)).toHaveLength(64);
    expect(bytes(long)).toBeLessThan(5_000);
    expect(JSON.stringify(long)).not.toContain('secret');
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`f${n}`, n]));
    expect(bytes(fieldDigests(many))).toBeLessThan(30);
    expect(contains(many, many)).toBe(true);
    expect(contains({ ...many, more: 1 }, many)).toBe(false);
  });

  it('of a value nested beyond reason are equal to nothing, and break nothing', () => {
    let deep: unknown = 'x';
    for (let n = 0; n < 100_000; n += 1) deep = [deep];
    expect(contains({ deep }, { deep })).toBe(false);
    expect(contains({ deep, prompt: 'fox' }, { prompt: 'fox' })).toBe(true);
  });

  it('take any name for what it is', () => {
    const input = plain(JSON.parse('{ "__proto__": 1, "constructor": 2, "toString": 3 }'));
    expect(contains(input, input)).toBe(true);
    expect(contains({}, input)).toBe(false);
    expect(contains({}, { constructor: 2 })).toBe(false);
  });
});

describe('a normalized input', () => {
  const takes = { names: ['prompt', 'n'], open: false };
  const can = (normalized: object, sent: object, shape: typeof takes | undefined): boolean =>
    canComeFrom(fieldDigests(normalized), fieldDigests(sent), shape);

  it('is of no body whose model lacks one of its fields, unless unknown ones may pass', () => {
    expect(can({ prompt: 'fox', n: 1 }, { prompt: 'fox' }, takes)).toBe(true);
    expect(can({ prompt: 'fox', duration: 5 }, { prompt: 'fox' }, takes)).toBe(false);
    expect(can({ prompt: 'fox', duration: 5 }, { prompt: 'fox' }, { ...takes, open: true })).toBe(true);
    expect(can({ prompt: 'fox', duration: 5 }, { prompt: 'fox' }, undefined)).toBe(true);
    expect(can({ prompt: 'fox', style: 1 }, { prompt: 'fox', style: 1 }, takes)).toBe(true);
    for (const shape of [takes, { ...takes, open: true }, undefined]) {
      expect(can({ prompt: 'owl' }, { prompt: 'fox' }, shape)).toBe(false);
    }
  });
});

/** JSON with the fields of objects in order; null and what is not there are one at the top. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.normalize('NFC').trim());
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join()}}`;
}
