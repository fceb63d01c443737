import {
  type AccountReport,
  type AccountState,
  type BookingEnd,
  type Holder,
  MOST_HOLDERS,
} from '../../contract/entities/account.ts';
import { type Per, periodEnd, periodOf } from '../../policy/periods.ts';
import { rounded, sumOf } from './credits.ts';
import type { OpenPurchase, OpenPurchases } from './open-purchases.ts';
import type { Parts } from './parts.ts';
import { chargedBy } from './returning.ts';

export type Sums = Pick<AccountReport, 'spent' | 'reserved'>;

/** The period that an account counts in: what is spent in it, and what is reserved. Times are milliseconds since the epoch. */
export class CurrentPeriod {
  readonly #per: Per;
  readonly #purchases: OpenPurchases;
  readonly #parts: Parts;
  #name: string;
  #spent: number;

  constructor(state: AccountState, now: number, purchases: OpenPurchases, parts: Parts) {
    const { per, period = periodOf(per, now), spent = 0 } = state;
    this.#per = per;
    this.#name = period;
    this.#spent = spent;
    this.#purchases = purchases;
    this.#parts = parts;
  }

  get name(): string {
    return this.#name;
  }

  carryOver(): Pick<AccountState, 'period' | 'spent'> {
    return { period: this.#name, spent: this.#spent };
  }

  report(now: number): Omit<AccountReport, 'purchases' | 'limit'> {
    if (this.isOver(now)) return { period: periodOf(this.#per, now), spent: 0, reserved: 0, holders: [] };
    return { period: this.#name, ...this.sums(), holders: this.holders(now) };
  }

  /** Whether it is over. */
  isOver(now: number): boolean {
    return this.#name < periodOf(this.#per, now);
  }

  /** When it ends; null: never. */
  end(now: number): number | null {
    return periodEnd(this.#per, now);
  }

  /**
   * A new one begins with nothing spent, and with what may still be charged of the one before. The server's clock may go
   * back a little: what has begun goes on. What was left of another period is no price: when it can be charged no more in
   * this one, it counts where it was reserved.
   */
  turn(now: number): void {
    for (const purchase of this.open)
      if (mayStillCost(purchase) && now >= chargedBy(purchase))
        purchase.period = periodOf(this.#per, purchase.since);
    if (!this.isOver(now)) return;
    const begun = periodOf(this.#per, now);
    for (const purchase of this.open.filter(({ taskId }) => taskId === null)) {
      const last = periodOf(this.#per, chargedBy(purchase));
      purchase.period = last < begun ? last : begun;
    }
    this.#name = begun;
    this.#spent = 0;
  }

  spend({ period, workflowId }: OpenPurchase, credits: number): void {
    if (period === this.#name) this.#spent += credits;
    this.#parts.spend(workflowId, credits);
  }

  /** @param workflowId who asks: what is held for it is its own */
  sums(workflowId?: string): Sums {
    const reserved = sumOf(this.open) + sumOf(this.#parts.heldBeside(workflowId));
    return { spent: rounded(this.#spent), reserved: rounded(reserved) };
  }

  /** Who holds what is reserved. @param workflowId see `sums` */
  holders(now: number, workflowId?: string): Holder[] {
    const purchases = this.open.map(({ workflowId, credits, taskId, answeredBy }) => {
      return { workflowId, credits, isUnknown: taskId === null && now >= answeredBy };
    });
    const parts = this.#parts
      .heldBeside(workflowId)
      .map(({ part, credits }) => ({ workflowId: part.name, credits, isUnknown: false }));
    return [...purchases, ...parts]
      .filter(({ credits }) => credits > 0)
      .sort((a, b) => Number(b.isUnknown) - Number(a.isUnknown) || b.credits - a.credits)
      .slice(0, MOST_HOLDERS)
      .map(({ credits, ...holder }) => ({ ...holder, credits: rounded(credits) }));
  }

  booked(): BookingEnd {
    return { kind: 'booked', ...this.sums() };
  }

  /** The open purchases that count in it. */
  get open(): OpenPurchase[] {
    return this.#purchases.all.filter(({ period }) => period === this.#name);
  }
}

/** Whether nobody knows what a submit has bought, nor what that costs. */
function mayStillCost({ taskId, unpriced }: OpenPurchase): boolean {
  return taskId === null && unpriced !== undefined;
}
