import { exampleValue } from '../../src/api/models/describe.ts';
import type { JsonSchema } from '../../src/api/models/json-schema.ts';

/** A value for a field, and what is special about it. `below`: the part of it that a refusal must blame. */
export interface FieldValue {
  what: string;
  value: unknown;
  below?: string;
}

/** Enough for a list or text without an upper limit. */
const MANY = 20;

/** The value at a field's upper end: the longest text, the largest number, the last choice, the fullest list. */
export function maximum(field: JsonSchema): unknown {
  if (field.enum !== undefined) return field.enum.at(-1);
  if (field.maxLength !== undefined) return textOf(field.maxLength);
  if (field.maximum !== undefined) return field.maximum;
  if (field.type === 'array') return listOf(field, field.maxItems ?? MANY);
  return exampleValue(field);
}

/** Values that a field allows, at each of its limits. */
export function within(field: JsonSchema): FieldValue[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = field;
  return [
    ...(field.enum ?? []).map((value) => ({ what: String(value), value })),
    ...(field.type === 'boolean' ? [true, false].map((value) => ({ what: String(value), value })) : []),
    ...(allowsNull(field) ? [{ what: 'null', value: null }] : []),
    ...given(minimum, (value) => ({ what: 'at its minimum', value })),
    ...given(maximum, (value) => ({ what: 'at its maximum', value })),
    ...given(minLength, (length) => ({ what: 'at its shortest', value: textOf(length) })),
    ...given(maxLength, (length) => ({ what: 'at its longest', value: textOf(length) })),
    ...given(minItems, (length) => ({ what: 'with the fewest items', value: listOf(field, length) })),
    ...given(maxItems, (length) => ({ what: 'with the most items', value: listOf(field, length) })),
    ...(field.type === undefined ? ANYTHING : []),
  ];
}

/** Values that a field refuses, just past each of its limits, of another type, or of another format. */
export function justOutside(field: JsonSchema): FieldValue[] {
  if (field.type === undefined && field.enum === undefined) return [];
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems } = field;
  const isInteger = [field.type].flat().includes('integer');
  const step = isInteger ? 1 : 0.001;
  return [
    { what: 'of another type', value: ofAnotherType(field) },
    { what: 'an object', value: { $from: 'nowhere' } },
    ...(allowsNull(field) ? [] : [{ what: 'null', value: null }]),
    ...(field.enum === undefined
      ? []
      : [{ what: 'none of its choices', value: `${String(field.enum[0])}x` }]),
    ...(field.format === 'uri' ? NOT_URLS : []),
    ...(isInteger ? [{ what: 'not whole', value: Math.max(minimum ?? 0, 0) + 0.5 }] : []),
    ...given(minimum, (value) => ({ what: 'below its minimum', value: value - step })),
    ...given(maximum, (value) => ({ what: 'above its maximum', value: value + step })),
    ...given(exclusiveMinimum, (value) => ({ what: 'at its excluded minimum', value })),
    ...given(minLength, (length) => ({ what: 'too short', value: textOf(length - 1) })),
    ...given(maxLength, (length) => ({ what: 'too long', value: textOf(length + 1) })),
    ...given(minItems, (length) => ({ what: 'with too few items', value: listOf(field, length - 1) })),
    ...given(maxItems, (length) => ({ what: 'with too many items', value: listOf(field, length + 1) })),
    ...wrongItems(field),
  ];
}

const ANYTHING: FieldValue[] = ['some text', 7, true, ['a'], { b: 1 }].map((value) => ({
  what: `with ${JSON.stringify(value)}`,
  value,
}));

const NOT_URLS: FieldValue[] = [
  '',
  'picture.png',
  'ftp://example.com/a.png',
  'https://',
  ' https://example.com',
].map((value) => ({ what: `with ${JSON.stringify(value)}`, value }));

function wrongItems(field: JsonSchema): FieldValue[] {
  const { items } = field;
  if (field.type !== 'array' || items === undefined) return [];
  const wrong = justOutside(items)
    .filter(({ what }) => what !== 'an object' || items.type !== 'object')
    .map(({ what, value, below = '' }) => ({ what, value, below }));
  const inside = Object.entries(items.properties ?? {}).flatMap(([name, child]) =>
    justOutside(child).map(({ what, value, below = '' }) => ({
      what: `${name} ${what}`,
      value: { [name]: value },
      below: `.${name}${below}`,
    })),
  );
  return [...wrong, ...inside].map(({ what, value, below }) => ({
    what: `with an item ${what}`,
    value: [value],
    below: `.0${below}`,
  }));
}

function ofAnotherType({ type }: JsonSchema): unknown {
  return [type].flat().includes('string') ? 7 : '7';
}

function allowsNull({ type }: JsonSchema): boolean {
  return Array.isArray(type) && type.includes('null');
}

function listOf(field: JsonSchema, length: number): unknown[] {
  return Array<unknown>(length).fill(exampleValue(field.items ?? {}));
}

/** A text of that many characters, half of which take two UTF-16 units. */
function textOf(length: number): string {
  return 'a🗼'.repeat(Math.ceil(length / 2)).slice(0, length % 2 === 0 ? undefined : -2);
}

function given<T>(limit: number | undefined, make: (limit: number) => T): T[] {
  return limit === undefined ? [] : [make(limit)];
}
