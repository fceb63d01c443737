/** A pipeline's budget in credits: what its finished steps cost is taken off. Without a limit it never ends. */
export class Budget {
  readonly #limit: number | undefined;
  #spent = 0;

  constructor(limit: number | undefined) {
    this.#limit = limit;
  }

  spend(credits: number): void {
    this.#spent += credits;
  }

  /** What is left, in credits; undefined without a limit. */
  left(): number | undefined {
    return this.#limit === undefined ? undefined : this.#limit - this.#spent;
  }
}
