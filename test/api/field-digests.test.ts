import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { containsFields, type FieldDigests, fieldDigests } from '../../src/api/field-digests.ts';
import { canComeFrom } from '../../src/api/same-input.ts';

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
  });
});

/** JSON with the fields of objects in order; null and what is not there are one at the top. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join()}}`;
}
