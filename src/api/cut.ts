/** A text as far as a person reads it: what comes from elsewhere ends up in payloads, which have a limit of 2 MB. */
export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
