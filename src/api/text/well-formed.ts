import { cleanJson } from '../json/clean-json.ts';

/**
 * A text as UTF-8 can hold it: halves of surrogate pairs, which JSON can spell alone (`"\ud800"`), become U+FFFD. The
 * SDK's core stops its worker over a message that holds one, and `encodeURI` throws.
 */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** The same for every text of a JSON value, names of fields included; it is changed in place. */
export function wellFormedJson(value: unknown): unknown {
  return cleanJson(value, wellFormed);
}
