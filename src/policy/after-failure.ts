import { generationCode } from '../api/codes.ts';
import type { Policy } from './policy.ts';

/** What follows a task that failed, or a submit that was rejected for good. */
export type NextStep =
  | { action: 'resubmit'; failures: number; newSeed: boolean }
  | { action: 'park' }
  | { action: 'fail' };

/**
 * The policy table's right-hand column as a function.
 *
 * @param code the API's code, with or without its prefix
 * @param failures how many tasks of this generation have failed with that code, this one included
 */
export function afterFailure(code: string | null | undefined, failures: number, policy: Policy): NextStep {
  const known = generationCode(code);
  if (known === undefined) return { action: 'fail' };
  if (failures > policy.retries[known].resubmissions) return { action: 'fail' };
  if (known === 'INSUFFICIENT_CREDITS') return { action: 'park' };
  return { action: 'resubmit', failures, newSeed: known === 'CONTENT_REJECTED' };
}

/**
 * Whether the budget refuses a further attempt: what was spent reaches it, or would pass it by the price that
 * is known from earlier attempts.
 */
export function budgetRefuses(
  budget: Policy['budget'],
  spent: number,
  knownPrice: number | undefined,
): boolean {
  if (budget === undefined) return false;
  return spent >= budget.credits || spent + (knownPrice ?? 0) > budget.credits;
}
