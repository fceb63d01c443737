import type { Attempt } from './generation.ts';

/** A price of something that is described at greater length than this is not remembered (characters). */
const LONGEST_KEY = 500;
const REMEMBERED = 100;

/**
 * What tasks of a pipeline cost, by model and by all fields that may have a price: not its texts and files. Learnt from
 * the pipeline's own attempts, and from what it reuses.
 */
export class Prices {
  readonly #prose: Record<string, string[]>;
  readonly #known: Map<string, number>;

  /** @param prose by model, the fields that no price hangs on */
  constructor(prose: Record<string, string[]>, known: Iterable<readonly [string, number]> = []) {
    this.#prose = prose;
    this.#known = new Map(known);
  }

  get prose(): Record<string, string[]> {
    return this.#prose;
  }

  entries(): [string, number][] {
    return [...this.#known];
  }

  /** Credits; undefined where no attempt has shown it. */
  of(model: string, input: Readonly<Record<string, unknown>>): number | undefined {
    return this.#known.get(this.#key(model, input));
  }

  /** The dearest attempt counts; one that cost nothing was given back. */
  learn(model: string, input: Readonly<Record<string, unknown>>, attempts: readonly Attempt[]): void {
    const key = this.#key(model, input);
    const price = Math.max(this.#known.get(key) ?? 0, ...attempts.map(({ usage }) => usage.total));
    if (price <= 0 || key.length > LONGEST_KEY) return;
    this.#known.set(key, price);
    const [oldest = ''] = this.#known.keys();
    if (this.#known.size > REMEMBERED) this.#known.delete(oldest);
  }

  /** Whether two inputs of a model have the same price. */
  areAlike(
    model: string,
    one: Readonly<Record<string, unknown>>,
    other: Readonly<Record<string, unknown>>,
  ): boolean {
    return this.#key(model, one) === this.#key(model, other);
  }

  #key(model: string, input: Readonly<Record<string, unknown>>): string {
    const prose = Object.hasOwn(this.#prose, model) ? (this.#prose[model] ?? []) : [];
    const priced = Object.entries(input).filter(
      ([field, value]) => value !== undefined && !prose.includes(field),
    );
    return JSON.stringify([model, ...priced.sort(([a], [b]) => (a < b ? -1 : 1))]);
  }
}
