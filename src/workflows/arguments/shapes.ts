import { isList, isRecord } from '../../api/json/is-record.ts';
import { MOST_NUMBER } from '../../contract/limits.ts';

/**
 * Whether a value is what a workflow takes. Anybody who reaches the namespace can start a workflow with anything, and
 * code that throws over its arguments fails the workflow's task again and again, for good. Written by hand: the bundle
 * of the workflows has no room for a library.
 */
export type Shape<T> = (value: unknown) => value is T;

/** A text of at most so many characters. */
export const text =
  (most: number): Shape<string> =>
  (value): value is string =>
    typeof value === 'string' && value.length <= most;

/** A finite number, also a time or a difference of times in milliseconds. */
export const number: Shape<number> = (value): value is number =>
  typeof value === 'number' && Math.abs(value) <= MOST_NUMBER;

export const amount: Shape<number> = (value): value is number => number(value) && value >= 0;

export const positive: Shape<number> = (value): value is number => number(value) && value > 0;

export const count: Shape<number> = (value): value is number => amount(value) && Number.isInteger(value);

export const flag: Shape<boolean> = (value): value is boolean => typeof value === 'boolean';

export const record: Shape<Record<string, unknown>> = isRecord;

export function oneOf<const T extends string | number | boolean | null>(...values: readonly T[]): Shape<T> {
  return (value): value is T => values.some((one) => one === value);
}

export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value): value is T | undefined => value === undefined || shape(value);
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value): value is T | null => value === null || shape(value);
}

export function list<T>(shape: Shape<T>, most = Infinity): Shape<T[]> {
  return (value): value is T[] => Array.isArray(value) && value.length <= most && value.every(shape);
}

/** Values of one shape by any names. */
export function table<T>(shape: Shape<T>): Shape<Record<string, T>> {
  return (value): value is Record<string, T> => isRecord(value) && Object.values(value).every(shape);
}

/** A list whose places have shapes of their own; the last ones may be left out where they are optional. */
export function tuple<T extends readonly unknown[]>(
  ...shapes: { readonly [Place in keyof T]: Shape<T[Place]> }
): Shape<T> {
  return (value): value is T =>
    isList(value) && value.length <= shapes.length && shapes.every((shape, place) => shape(value[place]));
}

/** Every field is named, so that a new one is not forgotten here; others that a caller adds are of no use. */
export function object<T extends object>(
  fields: {
    readonly [Name in keyof T]-?: Shape<T[Name]>;
  },
): Shape<T> {
  const shapes = Object.entries<Shape<unknown>>(fields);
  return (value): value is T => isRecord(value) && shapes.every(([name, shape]) => shape(value[name]));
}
