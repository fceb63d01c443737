import { wellFormed } from './well-formed.ts';

/** A text as far as a person reads it: what comes from elsewhere ends up in payloads, which have a limit of 2 MB. Never half a pair. */
export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${wellFormed(text.slice(0, longest - 1))}…`;
}
