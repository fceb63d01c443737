/** Answers whose `Date` is further from our clock tell nothing that can be used (milliseconds). */
const MAX_OFFSET = 24 * 60 * 60_000;
/** How many answers the clock is told by. */
const MAX_KEPT = 16;

/**
 * The service's own clock, by the `Date` of its answers: at least how far it is ahead of ours. A `Date` names the
 * second in which an answer was made, and that was before it came: so every answer tells a little too little, a slow
 * or a cached one much too little, and the largest of the latest is closest.
 */
export class ApiClock {
  readonly #latest: number[] = [];

  /**
   * @param date the header of an answer
   * @param answeredAt when the answer came, in milliseconds since the epoch by our clock
   */
  note(date: string | string[] | undefined, answeredAt: number): void {
    const offset = typeof date === 'string' ? Date.parse(date) - answeredAt : Number.NaN;
    if (!(Math.abs(offset) < MAX_OFFSET)) return;
    this.#latest.push(offset);
    if (this.#latest.length > MAX_KEPT) this.#latest.shift();
  }

  /** Milliseconds that the service's clock is ahead of ours (behind: below zero); undefined before the first answer. */
  get offset(): number | undefined {
    return this.#latest.length === 0 ? undefined : Math.max(...this.#latest);
  }
}
