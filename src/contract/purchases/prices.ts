import type { Attempt, Ordered } from '../generation.ts';

/** A price of something that is described at greater length than this is not remembered (characters). */
const LONGEST_KEY = 500;
const REMEMBERED = 100;

/**
 * What tasks of a pipeline cost, by model, template and all fields that may have a price: not its texts and files. Learnt from
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
  of(ordered: Ordered): number | undefined {
    return this.at(this.keyOf(ordered));
  }

  /** By the word for what has that price. */
  at(key: string): number | undefined {
    return this.#known.get(key);
  }

  /** The dearest attempt counts; one that cost nothing was given back. */
  learn(ordered: Ordered, attempts: readonly Attempt[]): void {
    const key = this.keyOf(ordered);
    const price = Math.max(this.#known.get(key) ?? 0, ...attempts.map(({ usage }) => usage.total));
    if (price <= 0 || key.length > LONGEST_KEY) return;
    this.#known.set(key, price);
    const [oldest = ''] = this.#known.keys();
    if (this.#known.size > REMEMBERED) this.#known.delete(oldest);
  }

  /** Whether two have the same price. */
  areAlike(one: Ordered, other: Ordered): boolean {
    return this.keyOf(one) === this.keyOf(other);
  }

  /** What has the same price has the same word. */
  keyOf({ model, input, templateId }: Ordered): string {
    const prose = Object.hasOwn(this.#prose, model) ? (this.#prose[model] ?? []) : [];
    const priced = Object.entries(input).filter(
      ([field, value]) => value !== undefined && !prose.includes(field),
    );
    // What a template says of it is the template's to know: its id stands for it.
    const template = templateId === undefined ? [] : [{ templateId }];
    return JSON.stringify([model, ...priced.sort(([a], [b]) => (a < b ? -1 : 1)), ...template]);
  }
}
