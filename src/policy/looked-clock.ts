/** A look that comes later than planned, by so many milliseconds, shows that nobody could look before. */
const MAX_LATE = 10_000;

/**
 * Time in which somebody looked. Workers and Temporal can be away for hours: a wait that passed meanwhile is no wait,
 * because what was waited for could not have come. Whoever waits plans its next look; the time from then to a look
 * that is much later does not count. All in milliseconds; pure, so workflows use it.
 */
export class LookedClock {
  #looked: number;
  #at: number;
  #due: number;

  /** @param at when it was `looked` (ms since the epoch): the next look is expected right then */
  constructor(at: number, looked = 0) {
    this.#looked = looked;
    this.#at = at;
    this.#due = at;
  }

  /** Looked time so far. */
  get looked(): number {
    return this.#looked;
  }

  /** @returns whether nobody looked for a while before */
  look(now: number): boolean {
    const late = now - this.#due > MAX_LATE;
    this.#looked += Math.max(0, (late ? this.#due : now) - this.#at);
    this.#at = Math.max(this.#at, now);
    if (late) this.#due = now;
    return late;
  }

  /** Says when the next look will be, at the latest (ms since the epoch). */
  plan(due: number): void {
    this.#due = Math.max(due, this.#at);
  }
}
