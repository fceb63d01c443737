import { given } from '../../api/json/given.ts';
import type {
  AccountReport,
  AccountState,
  Booking,
  BookingEnd,
  BookingOf,
  PurchaseFound,
} from '../../contract/entities/account.ts';
import type { PriceFacts } from '../../policy/prices/price-table.ts';
import { Admission } from './admission.ts';
import { CurrentPeriod } from './current-period.ts';
import { KnownPrices } from './known-prices.ts';
import { KnownTasks } from './known-tasks.ts';
import { Limit } from './limit.ts';
import { Looks } from './looks.ts';
import {
  isForgotten,
  newPurchase,
  type OpenPurchase,
  OpenPurchases,
  SUBMIT_LOOKED_AT,
  triedAt,
} from './open-purchases.ts';
import { Parts } from './parts.ts';
import { WaitingRuns } from './waiting-runs.ts';

/** When a task is looked at first (milliseconds). */
const TASK_LOOKED_AT = 10 * 60_000;
/** An API may tell of a task later than it names it: until then one that it does not know stays open (milliseconds). */
const KNOWN_WITHIN = 2 * 60_000;

/**
 * What a scope has spent in the current period, and what is reserved for purchases that are open. Pure, so that it is
 * tested without Temporal. A purchase counts in the period that it was reserved in.
 */
export class AccountBook {
  readonly parts: Parts;
  readonly #period: CurrentPeriod;
  readonly #admission: Admission;
  readonly #purchases: OpenPurchases;
  readonly #prices: KnownPrices;
  readonly #tasks: KnownTasks;
  readonly #waiting: WaitingRuns;
  readonly #limit: Limit;
  readonly #looks = new Looks(SUBMIT_LOOKED_AT);

  constructor(state: AccountState, now: number) {
    this.#purchases = new OpenPurchases(state);
    this.parts = new Parts(state, this.#purchases);
    this.#prices = new KnownPrices(state, this.#purchases);
    this.#tasks = new KnownTasks(state, this.#purchases);
    this.#waiting = new WaitingRuns(state.waiting);
    this.#period = new CurrentPeriod(state, now, this.#purchases, this.parts);
    this.#limit = new Limit(state);
    this.#admission = new Admission(this.#period, this.#purchases, this.parts, this.#prices, this.#limit);
  }

  carryOver(state: AccountState): AccountState {
    return {
      ...state,
      ...this.#period.carryOver(),
      ...this.#purchases.carryOver(),
      ...this.parts.carryOver(),
      ...this.#tasks.carryOver(),
      ...this.#limit.carryOver(),
      prices: this.#prices.list,
      waiting: this.#waiting.list,
    };
  }

  /** @param now milliseconds since the epoch, as everywhere here */
  book(booking: Booking, now: number): BookingEnd {
    this.#turn(now);
    switch (booking.kind) {
      case 'reserve':
        return this.#waiting.told(booking.purchase.runId, this.#admission.reserve(booking, now), now);
      case 'hold':
        return this.#admission.hold(booking, now);
      case 'accept':
        this.#accept(booking, now);
        break;
      case 'found':
      case 'settle':
        this.#told(booking, now);
        break;
      case 'doubt':
      case 'release':
        this.#leave(booking, now);
        break;
      case 'limit':
        this.#limit.by(booking);
        break;
      case 'end':
        this.parts.end(booking.workflowId);
    }
    return this.#period.booked();
  }

  report(now: number): AccountReport {
    const purchases = this.#purchases.all.length;
    return { ...this.#period.report(now), purchases, ...given({ limit: this.#limit.credits }) };
  }

  /** The workflows that go on with the budget of another one. */
  get heirs(): readonly string[] {
    return this.#limit.heirs;
  }

  /** Whether the period is over that the account has counted in. */
  isOver(now: number): boolean {
    return this.#period.isOver(now);
  }

  /** Whether nothing is open that somebody may still tell the end of. */
  isQuiet(now: number): boolean {
    return this.#purchases.all.every((purchase) => isForgotten(purchase, now));
  }

  /** When there is something to look at, or the period ends; null: never by itself. */
  nextDue(now: number): number | null {
    const end = this.#period.end(now) ?? Infinity;
    const due = Math.min(this.#looks.nextDue(this.#purchases.all), this.parts.nextDue(), end);
    return Number.isFinite(due) ? due : null;
  }

  /** The open purchases that are to be looked at now, as they are now. */
  toLookAt(now: number): OpenPurchase[] {
    return this.#looks.take(this.#purchases.all, now).map((purchase) => ({ ...purchase }));
  }

  /** Takes what a look has found; what was booked meanwhile is newer. */
  found(looked: OpenPurchase, found: PurchaseFound, now: number): void {
    this.#turn(now);
    const purchase = this.#purchases.get(looked);
    if (purchase?.attempt !== looked.attempt || purchase.taskId !== looked.taskId) return;
    if (found.kind === 'unbought') this.#purchases.remove(purchase);
    else if (found.taskId !== undefined || purchase.taskId !== null) {
      const { kind, taskId = purchase.taskId ?? '', credits = 0 } = found;
      const isYoung = taskId !== purchase.taskId || now - purchase.since < KNOWN_WITHIN;
      // A task that the account has asked about may still be another one's.
      if (found.taskId !== undefined) this.#correct(taskId, purchase);
      const hasEnded = kind === 'settled' && !(credits === null && isYoung);
      this.#hasTask(purchase, { taskId, credits, hasEnded }, now);
    }
  }

  /**
   * What nobody has told the end of for too long counts as spent: it is looked after no more, and keeps no room from
   * others.
   */
  #turn(now: number): void {
    this.#period.turn(now);
    for (const purchase of this.#purchases.all) {
      if (!isForgotten(purchase, now)) continue;
      this.#period.spend(purchase, purchase.credits);
      if (purchase.taskId !== null) this.#tasks.settle(purchase.taskId, purchase.credits);
      this.#purchases.remove(purchase);
    }
  }

  #accept({ purchase, taskId, credits, facts }: BookingOf<'accept'>, now: number): void {
    const reserved = this.#purchases.get(purchase) ?? newPurchase(purchase, this.#period.name, triedAt(now));
    this.#correct(taskId, reserved);
    this.#hasTask(reserved, { taskId, credits, facts, hasEnded: false }, now);
  }

  /** Whose a task is, is known: what it has cost counts in the period of that purchase. */
  #correct(taskId: string, purchase: OpenPurchase): void {
    const wrong = this.#tasks.correct(taskId, purchase);
    if (wrong === undefined) return;
    this.#period.spend(wrong.taken, -wrong.counted);
    this.#period.spend(purchase, wrong.counted);
  }

  /** A submit has ended, and has told of no task. */
  #leave(booking: BookingOf<'doubt' | 'release'>, now: number): void {
    const purchase = this.#purchases.get(booking.purchase);
    if (purchase?.taskId !== null) return;
    if (booking.kind === 'doubt') purchase.answeredBy = Math.min(purchase.answeredBy, now);
    else if (purchase.attempt <= booking.attempt) this.#purchases.remove(purchase);
  }

  #told(told: BookingOf<'found' | 'settle'>, now: number): void {
    const purchase = this.#tasks.purchaseOf(told);
    if (purchase !== undefined) this.#hasTask(purchase, { ...told, hasEnded: told.kind === 'settle' }, now);
  }

  /**
   * The one place where a price is learned, whoever has read of it: once of each task, and anew where it has become another.
   *
   * @param told `credits` as its record has them, which may tell the price only at the end; null without a record
   */
  #hasTask(
    purchase: OpenPurchase,
    told: { taskId: string; credits: number | null; facts?: PriceFacts | undefined; hasEnded: boolean },
    now: number,
  ): void {
    const { taskId, credits, hasEnded } = told;
    // Who has reserved for it knew most of what its price hangs on.
    const facts = purchase.unpriced ?? told.facts;
    const isPriced = purchase.taskId === taskId && purchase.unpriced === undefined;
    // What is left after a refund is no price.
    const isNews = !isPriced || (credits ?? 0) > purchase.credits;
    if (facts !== undefined && isNews) this.#prices.learn(facts, credits ?? 0);
    this.parts.reprice((purchases) => this.#prices.together(purchases));
    if (hasEnded && !this.#tasks.isSettled(taskId)) {
      const spent = credits ?? purchase.credits;
      this.#period.spend(purchase, spent);
      this.#tasks.settle(taskId, spent);
    }
    if (this.#tasks.isSettled(taskId)) return this.#purchases.remove(purchase);
    const known = taskId === purchase.taskId ? {} : { taskId, since: now, lookAt: now + TASK_LOOKED_AT };
    const priced = credits === null || credits === 0 ? {} : { credits, unpriced: undefined };
    this.#purchases.put({ ...purchase, ...known, ...priced });
  }
}
