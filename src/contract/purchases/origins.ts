import { isRecord } from '../../api/json/is-record.ts';
import type { GenerationResult } from '../generation.ts';
import type { Reference } from '../steps/references.ts';

/**
 * What the URLs of a resolved input are: by path, the reference that stood there and the outputs that it meant. An
 * output is known by its task and its place in it, because its URL may change: URLs expire, and are signed anew.
 */
export type Origins = Record<string, Origin>;

interface Origin {
  /** As it was written. */
  reference: Reference;
  /** `<task id>#<index>`; several only for `$all`. */
  outputs: string[];
}

/** The word for an output that stays the same whatever its URL. */
export function outputName({ taskId }: Pick<GenerationResult, 'taskId'>, index: number): string {
  return `${taskId}#${index}`;
}

/** The input with what the URLs are in their places: two of these are equal if they would make the same. */
export function withOutputNames(
  input: Readonly<Record<string, unknown>>,
  origins: Readonly<Origins>,
): Record<string, unknown> {
  return replaced(input, origins, ({ outputs }) => ({ outputs }));
}

/** The input with other URLs for its outputs, by what these are; one that is not named keeps its own. */
export function withUrls(
  input: Readonly<Record<string, unknown>>,
  origins: Readonly<Origins>,
  urls: ReadonlyMap<string, string>,
): Record<string, unknown> {
  return replaced(input, origins, ({ reference, outputs }, own) => {
    const known = outputs.map((output) => urls.get(output));
    if (known.includes(undefined)) return own;
    return reference.kind === 'all' ? known : known[0];
  });
}

/** The input with the references in their places that it was resolved from. */
export function asWritten(
  input: Readonly<Record<string, unknown>>,
  origins: Readonly<Origins>,
): Record<string, unknown> {
  return replaced(input, origins, ({ reference }) => ({ reference }));
}

function replaced(
  input: Readonly<Record<string, unknown>>,
  origins: Readonly<Origins>,
  by: (origin: Origin, own: unknown) => unknown,
): Record<string, unknown> {
  const walk = (part: unknown, path: string): unknown => {
    const origin = Object.hasOwn(origins, path) ? origins[path] : undefined;
    if (origin !== undefined) return by(origin, part);
    const inside = (name: string | number): string => (path === '' ? String(name) : `${path}.${name}`);
    if (Array.isArray(part)) return part.map((item, index) => walk(item, inside(index)));
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, walk(inner, inside(name))]));
  };
  return walk(input, '') as Record<string, unknown>; // the whole input has no origin: an object stays one
}
