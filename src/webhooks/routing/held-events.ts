/** How many events wait inside the receiver, and the limit of it. */
export class HeldEvents {
  readonly #max: number;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#count;
  }

  /** Runs `wait` unless too many are held already. */
  async hold<T>(wait: () => Promise<T>): Promise<T | 'too many held'> {
    if (this.#count >= this.#max) return 'too many held';
    this.#count += 1;
    try {
      return await wait();
    } finally {
      this.#count -= 1;
    }
  }
}
