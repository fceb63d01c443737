import type { Policy } from './policy.ts';

/**
 * Whether the budget refuses a further attempt: what was spent reaches it, or would pass it by a price that is known
 * from earlier attempts. An attempt of unknown outcome counts as the known price, and else as all that is left: it may
 * have cost that.
 *
 * @param spent credits
 * @param knownPrice credits of one task
 * @param unknown how many attempts nobody can tell the cost of
 */
export function budgetRefuses(
  budget: Policy['budget'],
  spent: number,
  knownPrice: number | undefined,
  unknown = 0,
): boolean {
  if (budget === undefined) return false;
  if (unknown > 0 && knownPrice === undefined) return true;
  const price = knownPrice ?? 0;
  const counted = spent + unknown * price;
  return counted >= budget.credits || counted + price > budget.credits;
}
