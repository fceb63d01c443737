/** A seed that a submit was sent with; null: the request's; `any`: the policy draws others, and nobody can tell which one. */
export type SentSeed = number | null | 'any';

/** An input as it was sent with another seed than the request's: without one where nobody can tell which. */
export function withSeed(
  input: Readonly<Record<string, unknown>>,
  sent: number | 'any',
): Record<string, unknown> {
  const { seed: _, ...others } = input;
  return sent === 'any' ? others : { ...others, seed: sent };
}
