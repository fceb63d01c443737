/** Longest pause that refusals can lead to. */
const SLOWEST = 2_000;

/**
 * A token bucket that slows down when the other side refuses: each refusal doubles the interval between two
 * permits, up to two seconds, each success takes it a quarter of the way back.
 */
export class Pace {
  readonly #interval: number;
  readonly #burst: number;
  readonly #now: () => number;
  #slowed: number;
  /** When the bucket would be full again, were nothing taken from now on. */
  #fullAt = 0;

  /** @param now milliseconds since any time, which nobody sets back */
  constructor({ perSecond, burst }: { perSecond: number; burst: number }, now = () => performance.now()) {
    this.#interval = 1_000 / perSecond;
    this.#burst = burst;
    this.#slowed = this.#interval;
    this.#now = now;
  }

  /** Takes a permit if there is one: 0. Otherwise the milliseconds until there is. */
  permit(): number {
    const now = this.#now();
    const burst = this.#slowed > this.#interval ? 1 : this.#burst;
    const wait = this.#fullAt - now - (burst - 1) * this.#slowed;
    if (wait > 0) return wait;
    this.#fullAt = Math.max(this.#fullAt, now) + this.#slowed;
    return 0;
  }

  refused(): void {
    this.#slowed = Math.min(SLOWEST, this.#slowed * 2);
    this.#fullAt = this.#now() + this.#slowed;
  }

  succeeded(): void {
    const back = this.#slowed - (this.#slowed - this.#interval) / 4;
    this.#slowed = back < this.#interval * 1.05 ? this.#interval : back;
  }
}
