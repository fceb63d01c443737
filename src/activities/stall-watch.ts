const TICK = 250;
/** What is shorter is a busy moment (milliseconds). */
const SHORTEST = 1_000;
const REMEMBERED = 100;

/**
 * Notices when this process stood still: stopped, starved or suspended. What it was given before that may be somebody
 * else's by now, and the code that goes on in the middle of it does not know.
 */
export class StallWatch {
  /** `until`: by `performance.now()`, which nobody sets. */
  readonly #stalls: { until: number; length: number }[] = [];
  readonly #timer: NodeJS.Timeout;
  #lookedAt = Date.now();

  constructor() {
    this.#timer = setInterval(() => this.#look(), TICK).unref();
  }

  /** How long the longest stall lasted that ended after that time (by `performance.now()`), in milliseconds; 0: none. */
  longestSince(at: number): number {
    // The one that ends right now: what follows it may run before the timer does.
    this.#look();
    return Math.max(0, ...this.#stalls.map(({ until, length }) => (until >= at ? length : 0)));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** By the time of day: the other clock stands still while the machine is suspended. */
  #look(): void {
    const now = Date.now();
    const length = now - this.#lookedAt - TICK;
    this.#lookedAt = now;
    if (length < SHORTEST) return;
    this.#stalls.push({ until: performance.now(), length });
    if (this.#stalls.length > REMEMBERED) this.#stalls.shift();
  }
}
