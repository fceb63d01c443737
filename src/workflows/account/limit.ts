import type { AccountState } from '../../contract/entities/account.ts';

/** Workflows that are remembered: a budget is seldom gone on with so often. */
const MOST_HEIRS = 100;

interface Told {
  limit: number | null;
  since?: number | undefined;
  by?: string | undefined;
}

/** What an account has to hold, as the latest run has told: what was started by an earlier one is bound by it as well. */
export class Limit {
  #latest: AccountState['limit'];
  #heirs: string[];

  constructor({ limit, heirs = [] }: Pick<AccountState, 'limit' | 'heirs'>) {
    this.#latest = limit;
    this.#heirs = heirs;
  }

  /** The workflows that go on with the budget of another one. */
  get heirs(): readonly string[] {
    return this.#heirs;
  }

  /** As it was told of last. */
  get credits(): number | undefined {
    return this.#latest?.[0];
  }

  carryOver(): Pick<AccountState, 'limit' | 'heirs'> {
    const limit = this.#latest === undefined ? {} : { limit: this.#latest };
    return this.#heirs.length === 0 ? limit : { ...limit, heirs: this.#heirs };
  }

  /** What holds for who says so. @param told without `since` it holds for who says so, and for nobody else */
  by({ limit, since, by }: Told): number | null {
    if (by !== undefined && this.#heirs.at(-1) !== by)
      this.#heirs = [...this.#heirs.filter((one) => one !== by), by].slice(-MOST_HEIRS);
    if (limit === null || since === undefined) return limit;
    if (since >= (this.#latest?.[1] ?? -Infinity)) this.#latest = [limit, since];
    return this.#latest?.[0] ?? limit;
  }
}
