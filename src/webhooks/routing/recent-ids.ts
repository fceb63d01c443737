import { LRUCache } from 'lru-cache';

/** How long ids are remembered, in milliseconds: at least 24 hours (API specification, Receiver rules). */
const REMEMBERED_FOR = 25 * 60 * 60_000;

/** The ids of the last 24 hours, as far as they are not too many: then the oldest are forgotten. */
export class RecentIds {
  readonly #max: number;
  readonly #now: () => number;
  /** Made with the first id: it takes its memory at once, and many a workspace gets no webhooks. */
  #ids: LRUCache<string, true> | undefined;

  /** @param now milliseconds since any time */
  constructor(max: number, now: () => number) {
    this.#max = max;
    this.#now = now;
  }

  has(id: string): boolean {
    return this.#ids !== undefined && this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids ??= new LRUCache({
      max: this.#max,
      ttl: REMEMBERED_FOR,
      ttlResolution: 0,
      perf: { now: this.#now },
    });
    this.#ids.set(id, true);
  }

  delete(id: string): void {
    this.#ids?.delete(id);
  }
}
