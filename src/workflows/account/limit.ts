import type { AccountState } from '../../contract/entities/account.ts';

/** What an account has to hold, as the latest run has told: what was started by an earlier one is bound by it as well. */
export class Limit {
  #latest: AccountState['limit'];

  constructor({ limit }: Pick<AccountState, 'limit'>) {
    this.#latest = limit;
  }

  carryOver(): Pick<AccountState, 'limit'> {
    return this.#latest === undefined ? {} : { limit: this.#latest };
  }

  /** What holds for who says so. @param told without `since` it holds for who says so, and for nobody else */
  by({ limit, since }: { limit: number | null; since?: number | undefined }): number | null {
    if (limit === null || since === undefined) return limit;
    if (since >= (this.#latest?.[1] ?? -Infinity)) this.#latest = [limit, since];
    return this.#latest?.[0] ?? limit;
  }
}
