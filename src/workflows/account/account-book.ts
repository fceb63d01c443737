import type {
  AccountReport,
  AccountState,
  Booking,
  BookingEnd,
  Purchase,
  PurchaseFound,
} from '../../contract/entities/account.ts';
import { type Per, periodEnd, periodOf } from '../../policy/periods.ts';
import { admits, rounded } from './credits.ts';
import { KnownPrices } from './known-prices.ts';
import { KnownTasks } from './known-tasks.ts';
import { Looks } from './looks.ts';
import { isForgotten, type OpenPurchase, OpenPurchases } from './open-purchases.ts';
import { type Part, Parts } from './parts.ts';
import { ANSWERED_WITHIN, boughtBy, isTriedOut, pricedBefore, waitedFor } from './returning.ts';
import { WaitingRuns } from './waiting-runs.ts';

/** When a submit or a task is looked at first (milliseconds). */
const LOOK = { submit: 2 * 60_000, task: 10 * 60_000 };
/** An API may tell of a task later than it names it: until then one that it does not know stays open (milliseconds). */
const KNOWN_WITHIN = 2 * 60_000;

type BookingOf<Kind extends Booking['kind']> = Extract<Booking, { kind: Kind }>;
type Sums = Pick<AccountReport, 'spent' | 'reserved'>;

/**
 * What a scope has spent in the current period, and what is reserved for purchases that are open. Pure, so that it is
 * tested without Temporal. A purchase counts in the period that it was reserved in.
 */
export class AccountBook {
  readonly parts: Parts;
  readonly #per: Per;
  readonly #purchases: OpenPurchases;
  readonly #prices: KnownPrices;
  readonly #tasks: KnownTasks;
  readonly #waiting: WaitingRuns;
  readonly #looks = new Looks(LOOK.submit);
  #period: string;
  #spent: number;

  constructor(state: AccountState, now: number) {
    const { per, period = periodOf(per, now), spent = 0 } = state;
    this.#per = per;
    this.#period = period;
    this.#spent = spent;
    this.#purchases = new OpenPurchases(state);
    this.parts = new Parts(state, this.#purchases);
    this.#prices = new KnownPrices(state, this.#purchases);
    this.#tasks = new KnownTasks(state, this.#purchases);
    this.#waiting = new WaitingRuns(state.waiting);
  }

  carryOver(state: AccountState): AccountState {
    return {
      ...state,
      period: this.#period,
      spent: this.#spent,
      ...this.#purchases.carryOver(),
      ...this.parts.carryOver(),
      ...this.#tasks.carryOver(),
      prices: this.#prices.list,
      waiting: this.#waiting.list,
    };
  }

  /** @param now milliseconds since the epoch, as everywhere here */
  book(booking: Booking, now: number): BookingEnd {
    this.#turn(now);
    switch (booking.kind) {
      case 'reserve':
        return this.#waiting.told(booking.purchase.runId, this.#reserve(booking, now), now);
      case 'hold':
        return this.#hold(booking, now);
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
      case 'end':
        this.parts.end(booking.workflowId, booking.credits);
    }
    return this.#booked();
  }

  report(now: number): AccountReport {
    const purchases = this.#purchases.all.length;
    if (this.isOver(now)) return { period: periodOf(this.#per, now), spent: 0, reserved: 0, purchases };
    return { period: this.#period, ...this.#sums(), purchases };
  }

  /** Whether the period is over that the account has counted in. */
  isOver(now: number): boolean {
    return this.#period < periodOf(this.#per, now);
  }

  /** Whether nothing is open that somebody may still tell the end of. */
  isQuiet(now: number): boolean {
    return this.#purchases.all.every((purchase) => isForgotten(purchase, now));
  }

  /** When there is something to look at, or the period ends; null: never by itself. */
  nextDue(now: number): number | null {
    const end = periodEnd(this.#per, now) ?? Infinity;
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
    if (found.kind === 'unbought') this.#remove(purchase);
    else if (found.taskId !== undefined || purchase.taskId !== null) {
      const { kind, taskId = purchase.taskId ?? '', credits = 0 } = found;
      const isYoung = taskId !== purchase.taskId || now - purchase.since < KNOWN_WITHIN;
      // A task that the account has asked about may still be another one's.
      if (found.taskId !== undefined) this.#tasks.correct(taskId, purchase);
      const hasEnded = kind === 'settled' && !(credits === null && isYoung);
      this.#hasTask(purchase, { taskId, credits, hasEnded }, now);
    }
  }

  /**
   * A new period begins with nothing spent. The server's clock may go back a little: what has begun goes on. What nobody has
   * told the end of for too long counts as spent: it is looked after no more, and keeps no room from others.
   */
  #turn(now: number): void {
    if (this.isOver(now)) {
      this.#period = periodOf(this.#per, now);
      this.#spent = 0;
    }
    for (const purchase of this.#purchases.all) {
      if (!isForgotten(purchase, now)) continue;
      this.#spend(purchase, purchase.credits);
      if (purchase.taskId !== null) this.#tasks.settle(purchase.taskId);
      this.#remove(purchase);
    }
  }

  #reserve(booking: BookingOf<'reserve'>, now: number): BookingEnd {
    const { purchase, attempt, limit, facts = null, mayComeBack: isPatient = false } = booking;
    const known = this.#purchases.get(purchase);
    if (known !== undefined) {
      // Whatever it has reserved stands, as does its period: a try before this one may have bought.
      if (attempt > known.attempt && known.taskId === null)
        Object.assign(known, { attempt, since: now, lookAt: now + LOOK.submit });
      return this.#booked();
    }
    const heard = this.#prices.heard(booking);
    const price = heard.price ?? pricedBefore(purchase, this.#current);
    const { expected = price } = heard;
    const sums = this.#sums(this.parts.of(purchase.workflowId));
    const left = (limit ?? Infinity) - sums.spent - sums.reserved;
    if (!admits(left, expected) || (limit !== null && isTriedOut(this.#current, purchase, now)))
      return this.#notNow({ purchase, left, price: expected, isPatient }, sums, now);
    const isKnown = price !== null && admits(left, price);
    const hasRoom = this.#purchases.put({
      ...this.#newPurchase(purchase, now),
      attempt,
      credits: isKnown ? price : limit === null ? 0 : left,
      unpriced: isKnown || limit === null ? undefined : facts,
    });
    // Without room everybody has to wait: what is not noted would not be counted.
    return hasRoom ? this.#booked() : { kind: 'busy', ...sums, from: 'submit' };
  }

  #hold({ workflowId, limit }: BookingOf<'hold'>, now: number): BookingEnd {
    const sums = this.#sums();
    const { price } = this.parts;
    const left = limit - sums.spent - sums.reserved;
    if (this.parts.get(workflowId)?.held !== undefined || admits(left, price)) {
      this.parts.hold(workflowId, price ?? left, now);
      return this.#booked();
    }
    this.parts.lookSoon(now);
    return this.#notNow({ purchase: null, left, price, isPatient: true }, sums, now);
  }

  #notNow(asking: Parameters<typeof waitedFor>[0], sums: Sums, now: number): BookingEnd {
    const from = waitedFor(asking, this.#current, this.parts, now);
    const bought = boughtBy(asking.purchase, this.#current);
    if (from !== undefined)
      return { kind: 'busy', ...sums, from, ...(bought.length === 0 ? {} : { bought }) };
    return { kind: 'refused', ...sums, until: periodEnd(this.#per, now) };
  }

  #accept({ purchase, taskId, credits, facts }: BookingOf<'accept'>, now: number): void {
    if (facts !== undefined) this.#prices.learn(facts, credits);
    this.#tasks.correct(taskId, purchase);
    const reserved = this.#purchases.get(purchase) ?? this.#newPurchase(purchase, now);
    this.#hasTask(reserved, { taskId, credits, hasEnded: false }, now);
  }

  #newPurchase(purchase: Purchase, now: number): OpenPurchase {
    const times = { since: now, lookAt: now + LOOK.submit };
    return { ...purchase, period: this.#period, attempt: 1, credits: 0, taskId: null, ...times };
  }

  /** A submit has ended, and has told of no task. */
  #leave(booking: BookingOf<'doubt' | 'release'>, now: number): void {
    const purchase = this.#purchases.get(booking.purchase);
    if (purchase?.taskId !== null) return;
    if (booking.kind === 'doubt') purchase.since = Math.min(purchase.since, now - ANSWERED_WITHIN);
    else if (purchase.attempt <= booking.attempt) this.#remove(purchase);
  }

  #told(told: BookingOf<'found' | 'settle'>, now: number): void {
    const purchase = this.#tasks.purchaseOf(told);
    if (purchase !== undefined) this.#hasTask(purchase, { ...told, hasEnded: told.kind === 'settle' }, now);
  }

  /** @param told `credits` as its record has them, which may tell the price only at the end; null without a record */
  #hasTask(
    purchase: OpenPurchase,
    { taskId, credits, hasEnded }: { taskId: string; credits: number | null; hasEnded: boolean },
    now: number,
  ): void {
    if (purchase.unpriced != null) this.#prices.learn(purchase.unpriced, credits ?? 0);
    if (hasEnded && !this.#tasks.isSettled(taskId)) {
      this.#spend(purchase, credits ?? purchase.credits);
      this.#tasks.settle(taskId);
    }
    if (this.#tasks.isSettled(taskId)) return this.#remove(purchase);
    const known = taskId === purchase.taskId ? {} : { taskId, since: now, lookAt: now + LOOK.task };
    const priced = credits === null || credits === 0 ? {} : { credits, unpriced: undefined };
    this.#purchases.put({ ...purchase, ...known, ...priced });
    this.parts.noteChanged(purchase.workflowId);
  }

  #spend({ period, workflowId }: OpenPurchase, credits: number): void {
    if (period === this.#period) this.#spent += credits;
    this.parts.spent(workflowId, credits);
  }

  #remove(purchase: Purchase): void {
    this.#purchases.remove(purchase);
    this.parts.noteChanged(purchase.workflowId);
  }

  #booked(): BookingEnd {
    return { kind: 'booked', ...this.#sums() };
  }

  /** @param own the part that asks: what is held for it is its own */
  #sums(own?: Part): Sums {
    const reserved = this.#current.reduce((sum, { credits }) => sum + credits, this.parts.heldBeside(own));
    return { spent: rounded(this.#spent), reserved: rounded(reserved) };
  }

  /** The open purchases that count in the current period. */
  get #current(): OpenPurchase[] {
    return this.#purchases.all.filter(({ period }) => period === this.#period);
  }
}
