import type { FieldError } from '../../api/field-error.ts';

/** More than this many are counted, not listed: they end up in a failure's details, which have a limit of 2 MB. */
const MOST_ERRORS = 50;
const LONGEST_PATH = 200;
const LONGEST_MESSAGE = 1_000;

/**
 * What a failure tells of a bad request: the first mistake of each field, at most 50 of them, none longer than a
 * person reads. A request may be as large as a payload can be, and its answer must not be larger.
 */
export function listErrors(found: readonly FieldError[]): FieldError[] {
  const first = new Map<string, FieldError>();
  for (const error of found) if (!first.has(error.path)) first.set(error.path, error);
  const listed = [...first.values()]
    .slice(0, MOST_ERRORS)
    .map(({ path, message }) => ({ path: cut(path, LONGEST_PATH), message: cut(message, LONGEST_MESSAGE) }));
  const more = first.size - listed.length;
  return more === 0 ? listed : [...listed, { path: 'request', message: `has ${more} more mistakes` }];
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** Why a request is refused, in one line: its first mistake, and how many more there are. */
export function firstError([first, ...more]: readonly FieldError[]): string {
  if (first === undefined) return 'the request is invalid';
  return `${first.path} ${first.message}${more.length === 0 ? '' : ` (and ${more.length} more)`}`;
}
