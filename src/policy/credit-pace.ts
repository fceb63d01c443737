import { pollingInterval } from './backoff.ts';
import type { Pace } from './policy.ts';

/** A run's own looks at the balance are so many times further apart than the credit gate's, which looks for all. */
const SLOWER = 4;

/**
 * The pause before a run's own next look at the balance, in milliseconds; spread, so that many that were parked together do
 * not look together.
 *
 * @param looks so far
 * @param random a number in [0, 1)
 */
export function pauseBeforeBalance({ initial, factor, max }: Pace, looks: number, random: number): number {
  const spread = 0.75 + 0.5 * random;
  return Math.max(1, SLOWER * spread * pollingInterval({ first: initial, factor, max }, looks));
}

/** Credits: the latest balance and the lowest one before it, and what a task costs; undefined: not known. */
interface Balance {
  available: number | undefined;
  lowest: number | undefined;
  price: number | undefined;
}

/** Whether a submit is worth trying: the balance covers a known price, or has grown where none is known. */
export function admitsSubmit({ available, lowest, price }: Balance): boolean {
  if (available === undefined || available <= 0) return false;
  const hasGrown = lowest !== undefined && available > lowest;
  return price === undefined ? hasGrown : price <= available && (hasGrown || lowest === undefined);
}
