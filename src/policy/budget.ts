import type { Policy } from './policy.ts';

/**
 * Whether the budget refuses a further attempt: what was spent reaches it, or would pass it by a price that is known
 * from earlier attempts.
 *
 * @param spent credits
 * @param knownPrice credits of one task
 */
export function budgetRefuses(
  budget: Policy['budget'],
  spent: number,
  knownPrice: number | undefined,
): boolean {
  if (budget === undefined) return false;
  return spent >= budget.credits || spent + (knownPrice ?? 0) > budget.credits;
}
