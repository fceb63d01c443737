/** How long something has been tried in vain; plain data. Milliseconds since the epoch. */
export interface Patience {
  since: number;
  /** The latest try. */
  lastAt: number;
}

/** A try may come late by so much and still follow the one before (milliseconds). */
const GRACE = 10_000;

/**
 * One more try in vain. Time in which nobody tried is no time of trying: after an outage of ours the wait begins anew.
 *
 * @param pause how long after the try before this one was to come, in milliseconds
 */
export function triedAgain(before: Patience | undefined, now: number, pause: number): Patience {
  const isFollowing = before !== undefined && now - before.lastAt <= 2 * pause + GRACE;
  return { since: isFollowing ? before.since : now, lastAt: now };
}

/**
 * The same where a try may come late for a good reason, as where many wait for their turn: what was tried before counts on.
 *
 * @returns true once it was tried for long enough, and from then on
 */
export function triedOn(
  before: Patience | true | undefined,
  now: number,
  pause: number,
  enough: number,
): Patience | true {
  if (before === true) return true;
  const gap = before === undefined ? 0 : Math.min(now - before.lastAt, 2 * pause + GRACE);
  const tried = before === undefined ? 0 : triedFor(before) + gap;
  return tried < enough ? { since: now - tried, lastAt: now } : true;
}

/** Milliseconds of trying. */
export function triedFor({ since, lastAt }: Patience): number {
  return lastAt - since;
}
