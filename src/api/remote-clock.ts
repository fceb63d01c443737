/** A clock that is further from ours tells nothing that can be used (milliseconds). */
const MAX_OFFSET = 24 * 60 * 60_000;
/** How many readings tell it. */
const MAX_KEPT = 16;

/**
 * A clock somewhere else, by the readings that come from there: at least how far it is ahead of ours. It was read before
 * that came: so every reading tells a little too little, a slow one much too little, and the largest of the latest is
 * closest.
 */
export class RemoteClock {
  readonly #latest: number[] = [];

  /**
   * @param time what the clock said, in milliseconds since the epoch; NaN where nobody told
   * @param at when that came, by our clock
   */
  note(time: number, at: number): void {
    const offset = time - at;
    if (!(Math.abs(offset) < MAX_OFFSET)) return;
    this.#latest.push(offset);
    if (this.#latest.length > MAX_KEPT) this.#latest.shift();
  }

  /** Milliseconds that it is ahead of ours (behind: below zero); undefined before the first reading. */
  get offset(): number | undefined {
    return this.#latest.length === 0 ? undefined : Math.max(...this.#latest);
  }
}
