import type { Pace } from './policy.ts';

/**
 * The pause before the next try, in milliseconds, never 0: `initial * factor^(failures - 1)`, at most `max`,
 * spread by a quarter either way so that a fleet does not come back in step. `Retry-After` (`atLeast`), where
 * the API gives one, is waited out in full.
 *
 * @param failures how often it has failed so far, from 1
 * @param random a number in [0, 1)
 */
export function backoffDelay(pace: Pace, failures: number, random: number, atLeast = 0): number {
  const grown = Math.min(pace.max, pace.initial * pace.factor ** (Math.max(1, failures) - 1));
  const spread = grown * (0.75 + 0.5 * random);
  const floor = atLeast * (1 + 0.1 * random);
  return Math.max(1, Math.round(Math.max(Math.min(spread, pace.max), floor)));
}

/** The growing interval between polls: the n-th wait, from 0, in milliseconds. */
export function pollingInterval(polling: { first: number; factor: number; max: number }, n: number): number {
  return Math.min(polling.max, polling.first * polling.factor ** n);
}
