import type { BookingEnd, BookingOf, PartPurchases } from '../../contract/entities/account.ts';
import { admits } from './credits.ts';
import type { CurrentPeriod, Sums } from './current-period.ts';
import type { KnownPrices } from './known-prices.ts';
import type { Limit } from './limit.ts';
import { newPurchase, type OpenPurchases, triedAt } from './open-purchases.ts';
import type { Parts } from './parts.ts';
import { boughtBy, isTriedOut, pricedBefore, waitedFor } from './returning.ts';

/** Who may buy: credits are reserved where there are enough. Times are milliseconds since the epoch. */
export class Admission {
  readonly #period: CurrentPeriod;
  readonly #purchases: OpenPurchases;
  readonly #parts: Parts;
  readonly #prices: KnownPrices;
  readonly #limit: Limit;

  constructor(
    period: CurrentPeriod,
    purchases: OpenPurchases,
    parts: Parts,
    prices: KnownPrices,
    limit: Limit,
  ) {
    this.#limit = limit;
    this.#period = period;
    this.#purchases = purchases;
    this.#parts = parts;
    this.#prices = prices;
  }

  reserve(booking: BookingOf<'reserve'>, now: number): BookingEnd {
    return this.#within(booking, (limit) => this.#reserve({ ...booking, limit }, now));
  }

  hold(booking: BookingOf<'hold'>, now: number): BookingEnd {
    return this.#within(booking, (limit) => this.#hold(booking, limit ?? Infinity, now));
  }

  #within(booking: BookingOf<'reserve' | 'hold'>, admit: (limit: number | null) => BookingEnd): BookingEnd {
    const limit = this.#limit.by(booking);
    const end = admit(limit);
    return limit === null || limit === booking.limit ? end : { ...end, limit };
  }

  #reserve(booking: BookingOf<'reserve'>, now: number): BookingEnd {
    const {
      purchase,
      attempt,
      limit,
      facts = null,
      mayComeBack: isPatient = false,
      answeredWithin,
    } = booking;
    const tried = triedAt(now, attempt, answeredWithin);
    const known = this.#purchases.get(purchase);
    const isFurther = known?.taskId === null && attempt > known.attempt;
    // What a further try buys is charged in this period.
    if (known !== undefined && !(isFurther && known.period !== this.#period.name)) {
      // Whatever it has reserved stands: a try before this one may have bought.
      if (isFurther) Object.assign(known, tried);
      return this.#period.booked();
    }
    const heard = this.#prices.heard(booking);
    const price = heard.price ?? pricedBefore(purchase, this.#period.open);
    const { expected = price } = heard;
    const sums = this.#period.sums(purchase.workflowId);
    const left = (limit ?? Infinity) - sums.spent - sums.reserved;
    if (!admits(left, expected) || (limit !== null && isTriedOut(this.#period.open, purchase, now)))
      return this.#notNow({ purchase, left, price: expected, isPatient }, sums, now);
    const isKnown = price !== null && admits(left, price);
    const hasRoom = this.#purchases.put({
      ...newPurchase(purchase, this.#period.name, tried),
      credits: isKnown ? price : limit === null ? 0 : left,
      unpriced: isKnown || limit === null ? undefined : facts,
    });
    // Without room everybody has to wait: what is not noted would not be counted.
    if (hasRoom) return this.#period.booked();
    return { kind: 'busy', ...sums, from: 'submit', holders: this.#period.holders(now) };
  }

  #hold(booking: BookingOf<'hold'>, limit: number, now: number): BookingEnd {
    const { workflowId, purchases, later = [], laterSteps = [], most } = booking;
    const sums = this.#period.sums();
    const left = limit - sums.spent - sums.reserved;
    const priceOf = (bought: readonly PartPurchases[]): number | null => {
      const known = this.#prices.together(bought);
      // A budget of its own bounds what it costs, and is no price.
      const bound = known === null && !admits(left, most ?? Infinity) ? null : most;
      return bound == null ? known : Math.min(known ?? bound, bound);
    };
    const price = priceOf(purchases);
    // A row is not started whose approved part could not be paid even now.
    const needed = admits(left, price) ? priceOf([...purchases, ...later]) : price;
    const hasRoom = admits(left, needed) && !(price === null && this.#parts.isTriedOut);
    if (hasRoom || this.#parts.has(workflowId)) {
      const unpriced = price === null ? purchases : undefined;
      this.#parts.hold(workflowId, { held: price ?? left, unpriced, laterSteps }, now);
      return this.#period.booked();
    }
    this.#parts.lookSoon(now);
    return this.#notNow({ purchase: null, left, price: needed, isPatient: true }, sums, now);
  }

  #notNow(asking: Parameters<typeof waitedFor>[0], sums: Sums, now: number): BookingEnd {
    const from = waitedFor(asking, this.#period.open, this.#parts, now);
    const bought = boughtBy(asking.purchase, this.#period.open);
    const holders = this.#period.holders(now, asking.purchase?.workflowId);
    if (from !== undefined)
      return { kind: 'busy', ...sums, from, holders, ...(bought.length === 0 ? {} : { bought }) };
    return { kind: 'refused', ...sums, price: asking.price, until: this.#period.end(now), holders };
  }
}
