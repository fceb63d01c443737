import { cut } from '../text/cut.ts';
import type { FieldError } from './field-error.ts';

/** Something wrong with a field of a request. A message that costs something is only made if it gets listed. */
export interface Mistake {
  path: string;
  message: string | (() => string);
}

/** More than this many are counted, not listed: they end up in a failure's details, which have a limit of 2 MB. */
const MOST_LISTED = 50;
const LONGEST_PATH = 200;
const LONGEST_MESSAGE = 1_000;

/**
 * What a failure tells of a bad request: the first mistake of each field, at most 50 of them, none longer than a
 * person reads, and how many more there are. The one place that cuts such a list: a request may be as large as a
 * payload can be, and its answer must not be larger.
 *
 * @param whole the path under which the rest is counted
 */
export function listErrors(found: Iterable<Mistake>, whole = 'request'): FieldError[] {
  const paths = new Set<string>();
  const listed: FieldError[] = [];
  for (const { path, message } of found) {
    if (paths.has(path)) continue;
    paths.add(path);
    if (listed.length === MOST_LISTED) continue;
    const text = typeof message === 'string' ? message : message();
    listed.push({ path: cut(path, LONGEST_PATH), message: cut(text, LONGEST_MESSAGE) });
  }
  const more = paths.size - listed.length;
  return more === 0 ? listed : [...listed, { path: whole, message: `has ${more} more mistakes` }];
}

/** Why a request is refused, in one line: its first mistake, and how many more there are. */
export function firstError([first, ...more]: readonly FieldError[]): string {
  if (first === undefined) return 'the request is invalid';
  return `${first.path} ${first.message}${more.length === 0 ? '' : ` (and ${more.length} more)`}`;
}
