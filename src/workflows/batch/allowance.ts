/** A row may cost so many times what the dearest one has cost so far: a failed attempt may be charged, too. */
const FOR_A_RETRY = 2;

/**
 * The budget of a batch. What a row may cost is taken out of it before the row is started, and what it did not cost is
 * put back when it has ended. A price that nobody knows yet counts as all that is left: so the first row runs alone.
 */
export class Allowance {
  readonly #credits: number;
  #spent: number;
  #dearest: number;
  #reserved = 0;
  /** Of those that have not settled: sums of fractions do not come back to zero. */
  #open = 0;

  /** @param credits in all; undefined: no limit */
  constructor(credits: number | undefined, spent = 0, dearest = 0) {
    this.#credits = credits ?? Infinity;
    this.#spent = spent;
    this.#dearest = dearest;
  }

  get dearest(): number {
    return this.#dearest;
  }

  /** What the next row may cost; undefined: it has to wait for others to end, or is not admitted at all. */
  next(): number | undefined {
    if (this.#credits === Infinity) return Infinity;
    const left = this.#credits - this.#spent - this.#reserved;
    if (this.#dearest > 0)
      return left >= this.#dearest ? Math.min(left, FOR_A_RETRY * this.#dearest) : undefined;
    return left > 0 && this.#open === 0 ? left : undefined;
  }

  reserve(credits: number): void {
    this.#open += 1;
    if (Number.isFinite(credits)) this.#reserved += credits;
  }

  /** @param cost what the row has cost, with what earlier runs had paid for it */
  settle(reserved: number, cost: number): void {
    this.#open -= 1;
    if (Number.isFinite(reserved)) this.#reserved -= reserved;
    this.spend(cost);
  }

  /** Of a row that was there already. */
  spend(cost: number): void {
    this.#spent += cost;
    this.#dearest = Math.max(this.#dearest, cost);
  }
}
