import type { PartPurchases } from '../../contract/entities/account.ts';
import {
  type Cost,
  costOf,
  likelyCost,
  type PriceFacts,
  type PriceList,
  PriceTable,
} from '../../policy/prices/price-table.ts';
import { isSameSize } from '../../policy/prices/sizes.ts';
import { admits } from './credits.ts';
import type { OpenPurchases } from './open-purchases.ts';

/** What purchases have cost, whoever has made them. What was reserved for an unknown price holds no more once it is known. */
export class KnownPrices {
  readonly #table: PriceTable;
  readonly #purchases: OpenPurchases;

  constructor({ prices }: { prices?: PriceList }, purchases: OpenPurchases) {
    this.#table = new PriceTable(prices);
    this.#purchases = purchases;
  }

  get list(): PriceList {
    return this.#table.list;
  }

  /**
   * What a purchase will cost; what is open of its kind costs no more either. Of what is not seen exactly the account has
   * seen more than a process. Where both have seen it the price has changed.
   *
   * @param told what a process knows
   */
  heard({ price, expected, facts }: Cost & { facts?: PriceFacts | undefined }): Cost {
    if (facts === undefined) return { price, expected };
    const estimate = this.#table.estimate(facts);
    const own = costOf(estimate);
    const isExact = price !== null && expected === undefined;
    const isHigher = estimate?.isExact === true && own.price !== null && own.price > (price ?? 0);
    const isUnknown = own.price === null && (price !== null || own.expected === undefined);
    const cost = isUnknown || (isExact && !isHigher) ? { price, expected } : own;
    this.#shrink((one) => (one.kind === facts.kind && isSameSize(one, facts) ? cost.price : null));
    return cost;
  }

  /** What purchases will cost together, as far as anybody knows; null: nobody knows it of some. */
  together(purchases: readonly PartPurchases[]): number | null {
    return purchases.reduce<number | null>((sum, { facts, times, credits }) => {
      const each = likelyCost(this.#table.estimate(facts)) ?? credits;
      return sum === null || each === null ? null : sum + times * each;
    }, 0);
  }

  /** Such a purchase has cost so much. */
  learn(facts: PriceFacts, credits: number): void {
    if (this.#table.learn(facts, credits)) this.#shrink((one) => costOf(this.#table.estimate(one)).price);
  }

  /** What holds less than the price stays as it is. */
  #shrink(priceOf: (facts: PriceFacts) => number | null): void {
    for (const purchase of this.#purchases.all) {
      const price = purchase.unpriced == null ? null : priceOf(purchase.unpriced);
      if (price !== null && admits(purchase.credits, price))
        Object.assign(purchase, { credits: price, unpriced: undefined });
    }
  }
}
