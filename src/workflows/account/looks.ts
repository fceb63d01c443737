import { RETURNING } from '../../contract/entities/account.ts';

/** So many are looked at together. */
const MOST_AT_ONCE = 100;
/** Longest time until the same one is looked at again (milliseconds). */
const LONGEST = 6 * 60 * 60_000;

/** Something that nobody has told the end of. Times are in milliseconds since the epoch. */
export interface Untold {
  /** Since when it is there. */
  since: number;
  /** When it is looked at next. */
  lookAt: number;
}

/** Looks at what nobody has told the end of: at each one later and later. */
export class Looks {
  readonly #first: number;
  #last = -Infinity;

  /** @param first least time until the same one is looked at again (milliseconds) */
  constructor(first: number) {
    this.#first = first;
  }

  /** When there is something to look at; Infinity: never. */
  nextDue(all: readonly Untold[]): number {
    return Math.max(this.#last + RETURNING.lookedAtWithin, Math.min(...all.map(({ lookAt }) => lookAt)));
  }

  /** Those that are to be looked at now, the one that waits longest first. */
  take<One extends Untold>(all: readonly One[], now: number): One[] {
    if (now < this.#last + RETURNING.lookedAtWithin) return [];
    const due = all
      .filter(({ lookAt }) => lookAt <= now)
      .sort((a, b) => a.lookAt - b.lookAt)
      .slice(0, MOST_AT_ONCE);
    if (due.length > 0) this.#last = now;
    for (const one of due) one.lookAt = now + Math.min(LONGEST, Math.max(now - one.since, this.#first));
    return due;
  }
}
