/**
 * Things that are gathered and dealt with together at the end of an event loop's turn, instead of each between the
 * reading and writing of others. Work of one kind in a row is cheaper: measured at full load, for the judging of
 * deliveries 2 µs each, for their acknowledgements 2.5 µs (a system call that wakes the sender up), where a bare
 * node:http server spends 16 µs on a request.
 */
export class Gathered<T> {
  readonly #deal: (item: T) => void;
  #waiting: T[] = [];

  constructor(deal: (item: T) => void) {
    this.#deal = deal;
  }

  add(item: T): void {
    if (this.#waiting.push(item) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const item of waiting) this.#deal(item);
  }
}
