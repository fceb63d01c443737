import { characterCount } from './character-count.ts';

/** Longest text of a caller's that a message repeats. Longer ones may hold anything, and help nobody. */
const LONGEST = 48;

/**
 * A value as an error message shows it: short scalars as JSON, everything else by its kind and size. Never longer
 * than 60 characters, never throws, reads nothing inside objects.
 */
export function shown(value: unknown): string {
  if (typeof value === 'string') {
    const quoted = value.length > LONGEST ? '' : JSON.stringify(value);
    return quoted === '' || quoted.length > LONGEST
      ? `a string of ${characterCount(value)} characters`
      : quoted;
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A caller's field name or id as a message or a path shows it: cut to 60 characters, control characters out. */
export function shownName(name: string): string {
  const short = name.length > 60 ? `${name.slice(0, 59)}…` : name;
  return short.replace(/\p{C}/gu, '?');
}
