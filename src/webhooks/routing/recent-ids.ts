import QuickLRU from 'quick-lru';

/** How long ids are remembered, in milliseconds: at least 24 hours (API specification, Receiver rules). */
const REMEMBERED_FOR = 25 * 60 * 60_000;

/**
 * The ids of the last 24 hours, as far as they are not too many: then the oldest are forgotten, once there are twice as
 * many as have to be remembered.
 */
export class RecentIds {
  /** When each was last added, by the clock that was given. */
  readonly #ids: QuickLRU<string, number>;
  readonly #now: () => number;

  /**
   * @param max so many are remembered
   * @param now milliseconds since any time
   */
  constructor(max: number, now: () => number) {
    this.#ids = new QuickLRU({ maxSize: max });
    this.#now = now;
  }

  has(id: string): boolean {
    const at = this.#ids.peek(id);
    return at !== undefined && this.#now() - at < REMEMBERED_FOR;
  }

  add(id: string): void {
    this.#ids.set(id, this.#now());
  }

  delete(id: string): void {
    this.#ids.delete(id);
  }
}
