import {
  type AccountEntry,
  type AccountReport,
  type AccountState,
  type Booking,
  type BookingEnd,
  type CreditsFrom,
  type Purchase,
  type PurchaseFound,
  RETURNING,
} from '../../contract/entities/account.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { type Per, periodEnd, periodOf } from '../../policy/periods.ts';
import { type Cost, costOf, type PriceFacts, PriceTable } from '../../policy/prices/price-table.ts';
import { WaitingRuns } from './waiting-runs.ts';

/** All entries together, as JSON: they are carried over as one argument, and a payload takes 2 MB. */
const MOST_BYTES = 1_000_000;
/**
 * Parts that are noted. Of more, one that has ended is forgotten first: what it costs is known a little worse. Where all
 * run it is the oldest: what it has not spent is free, and each of its purchases reserves its own price.
 */
const MOST_PARTS = 1_000;
/** So many settled tasks are remembered, each by the end of its id. */
const REMEMBERED = 1_000;
const KEPT_OF_ID = 12;
/** So many tasks are remembered that were taken for one of several purchases. */
const MOST_GUESSED = 100;
/** A submit that was not answered for so long may never be: nobody waits for it any more (milliseconds). */
const ANSWERED_WITHIN = 2 * 60_000;
/** First looks at what nobody has told the end of, a submit, a task, a part (milliseconds); each further one twice as late. */
const LOOK = { submit: 2 * 60_000, task: 10 * 60_000, part: 10 * 60_000, most: 6 * 60 * 60_000 };
/** A part is started so soon after credits were held for it (milliseconds). */
const STARTED_WITHIN = 10_000;
/** An API may tell of a task later than it names it: until then one that it does not know stays open (milliseconds). */
const KNOWN_WITHIN = 2 * 60_000;
/** What has been open for so long, and limits nothing any more, nobody will tell the end of (milliseconds). */
const TOLD_WITHIN = 7 * 24 * 60 * 60_000;
/** So many are looked at together. */
export const MOST_AT_ONCE = 20;
/** Of an open purchase that somebody waits for or is refused for, and between any two looks (milliseconds). */
const { lookedAtWithin: BETWEEN_LOOKS } = RETURNING;
/** Sums of fractions are a little off. */
const TINY = 1e-6;

/** A part that makes many purchases. `held`: what is held for it, and was not spent by it; null: it has ended. */
interface Part {
  held: number | null;
  /** What its purchases have cost that have ended since it was held for. */
  bought: number;
  /** When it was held for, and when it is looked at next whether it still runs (milliseconds since the epoch). */
  since: number;
  lookAt: number;
}

interface Entry extends Purchase {
  period: string;
  attempt: number;
  credits: number;
  taskId: string | null;
  since: number;
  lookAt: number;
}

/**
 * What a scope has spent in the current period, and what is reserved for purchases that are open. Pure, so that it is
 * tested without Temporal. A purchase counts in the period that it was reserved in.
 */
export class AccountBook {
  readonly #per: Per;
  readonly #entries = new Map<string, Entry>();
  readonly #settled: Set<string>;
  /** By the end of a task's id: the purchase that it was taken for, where others of its workflow had no task either. */
  readonly #guessed: Map<string, Entry>;
  readonly #prices: PriceTable;
  /** Those that run, and those that have ended and have open purchases. */
  readonly #parts: Map<string, Part>;
  /** The open purchases whose price nobody knows, or is more than was left for them, with what it hangs on. */
  readonly #unpriced: Map<string, PriceFacts | null>;
  #dearest: number;
  #period: string;
  #spent: number;
  readonly #waiting: WaitingRuns;
  #bytes = 0;
  #lookedAt = -Infinity;
  #partsLookedAt = -Infinity;

  constructor(state: AccountState, now: number) {
    const { per, period, spent = 0, entries = [], settled = [], prices, parts = [], dearest = 0 } = state;
    this.#per = per;
    this.#parts = new Map(
      parts.map(([name, held, bought, since, lookAt]) => [name, { held, bought, since, lookAt }]),
    );
    this.#unpriced = new Map(state.unpriced);
    this.#dearest = dearest;
    this.#waiting = new WaitingRuns(state.waiting);
    this.#period = period ?? periodOf(per, now);
    this.#spent = spent;
    this.#settled = new Set(settled);
    this.#guessed = new Map(state.guessed?.map(([task, entry]) => [task, fromList(entry)]));
    this.#prices = new PriceTable(prices);
    for (const entry of entries) this.#put(fromList(entry));
  }

  /** Whether nothing is open that somebody may still tell the end of. */
  isQuiet(now: number): boolean {
    return [...this.#entries.values()].every(({ since }) => since < now - TOLD_WITHIN);
  }

  /** @param now milliseconds since the epoch, as everywhere here */
  book(booking: Booking, now: number): BookingEnd {
    this.#turn(now);
    switch (booking.kind) {
      case 'reserve':
        return this.#counted(booking.purchase, this.#reserve(booking, now), now);
      case 'accept':
        this.#accept(booking, now);
        break;
      case 'doubt':
        this.#doubt(booking.purchase, now);
        break;
      case 'found':
        this.#found(booking, now);
        break;
      case 'settle':
        this.#settle(booking);
        break;
      case 'release':
        this.#release(booking.purchase, booking.attempt);
        break;
      case 'hold':
        return this.#hold(booking, now);
      case 'end':
        this.#dearest = Math.max(this.#dearest, booking.credits);
        this.#endPart(booking.workflowId);
    }
    return { kind: 'booked', ...this.#sums() };
  }

  report(now: number): AccountReport {
    const purchases = this.#entries.size;
    if (this.isOver(now)) return { period: periodOf(this.#per, now), spent: 0, reserved: 0, purchases };
    return { period: this.#period, ...this.#sums(), purchases };
  }

  /** Whether the period is over that the account has counted in. */
  isOver(now: number): boolean {
    return this.#period < periodOf(this.#per, now);
  }

  /** When there is something to look at, or the period ends; null: never by itself. */
  nextDue(now: number): number | null {
    const looks = [...this.#entries.values()].map(({ lookAt }) =>
      Math.max(lookAt, this.#lookedAt + BETWEEN_LOOKS),
    );
    const parts = this.#running.map(([, { lookAt }]) =>
      Math.max(lookAt, this.#partsLookedAt + BETWEEN_LOOKS),
    );
    const end = periodEnd(this.#per, now);
    const due = Math.min(...looks, ...parts, end ?? Infinity);
    return Number.isFinite(due) ? due : null;
  }

  /** The open purchases that are to be looked at now, the one that waits longest first. */
  toLookAt(now: number): Entry[] {
    if (now < this.#lookedAt + BETWEEN_LOOKS) return [];
    const due = [...this.#entries.values()]
      .filter(({ lookAt }) => lookAt <= now)
      .sort((a, b) => a.lookAt - b.lookAt)
      .slice(0, MOST_AT_ONCE);
    if (due.length > 0) this.#lookedAt = now;
    for (const entry of due)
      entry.lookAt = now + Math.min(LOOK.most, Math.max(now - entry.since, LOOK.submit));
    return due.map((entry) => ({ ...entry }));
  }

  /** The parts of which is to be seen now whether they still run. */
  partsToLookAt(now: number): [name: string, part: Part][] {
    if (now < this.#partsLookedAt + BETWEEN_LOOKS) return [];
    const due = this.#running
      .filter(([, { lookAt }]) => lookAt <= now)
      .sort(([, a], [, b]) => a.lookAt - b.lookAt)
      .slice(0, MOST_AT_ONCE);
    if (due.length > 0) this.#partsLookedAt = now;
    for (const [, part] of due)
      part.lookAt = now + Math.min(LOOK.most, Math.max(now - part.since, LOOK.part));
    return due;
  }

  /** A part does not run any more, and nobody has told its end; one that was held for anew meanwhile is another. */
  partEnded(name: string, looked: Part): void {
    if (this.#parts.get(name) === looked) this.#endPart(name);
  }

  /** Takes what a look has found; what was booked meanwhile is newer. */
  found(looked: Entry, found: PurchaseFound, now: number): void {
    this.#turn(now);
    const key = keyOf(looked);
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.attempt !== looked.attempt || entry.taskId !== looked.taskId) return;
    if (found.kind === 'unbought') {
      this.#remove(key);
      return;
    }
    const { taskId = entry.taskId, credits = 0 } = found;
    if (taskId !== null) this.#correct(key, taskId);
    const isYoung = credits === null && (taskId !== entry.taskId || now - entry.since < KNOWN_WITHIN);
    if (found.kind === 'settled' && !isYoung) this.#end(key, entry, taskId, found.credits);
    else if (taskId !== null && this.#settled.has(endOf(taskId))) this.#remove(key);
    else this.#hasTask(entry, taskId, credits ?? 0, now);
  }

  carryOver(state: AccountState): AccountState {
    return {
      ...state,
      period: this.#period,
      spent: this.#spent,
      entries: [...this.#entries.values()].map(toList),
      settled: [...this.#settled],
      guessed: [...this.#guessed].map(([task, entry]) => [task, toList(entry)]),
      prices: this.#prices.list,
      parts: [...this.#parts].map(([name, { held, bought, since, lookAt }]) => [
        name,
        held,
        bought,
        since,
        lookAt,
      ]),
      unpriced: [...this.#unpriced],
      dearest: this.#dearest,
      waiting: this.#waiting.list,
    };
  }

  /** A new period begins with nothing spent. The server's clock may go back a little: what has begun goes on. */
  #turn(now: number): void {
    if (!this.isOver(now)) return;
    this.#period = periodOf(this.#per, now);
    this.#spent = 0;
    for (const [key, { since }] of this.#entries) if (since < now - TOLD_WITHIN) this.#remove(key);
  }

  #reserve(booking: Extract<Booking, { kind: 'reserve' }>, now: number): BookingEnd {
    const { purchase, attempt, limit, facts, mayComeBack } = booking;
    const key = keyOf(purchase);
    const known = this.#entries.get(key);
    if (known !== undefined) {
      // Whatever it has reserved stands, as does its period: a try before this one may have bought.
      if (attempt > known.attempt && known.taskId === null)
        Object.assign(known, { attempt, since: now, lookAt: now + LOOK.submit });
      return { kind: 'booked', ...this.#sums() };
    }
    const { price, expected = price } = this.#costOf(booking);
    if (price !== null && facts !== undefined) this.#limit(facts, price);
    const { spent, reserved } = this.#sums(this.#partOf(purchase.workflowId));
    const left = (limit ?? Infinity) - spent - reserved;
    const isAdmitted = admits(left, expected) && (limit === null || !this.#isTriedOut(purchase, now));
    const isKnown = price !== null && price <= left + TINY;
    const credits = isKnown ? price : limit === null ? 0 : left;
    const entry = {
      ...purchase,
      period: this.#period,
      attempt,
      credits,
      taskId: null,
      since: now,
      lookAt: now + LOOK.submit,
    };
    if (isAdmitted && this.#put(entry)) {
      if (!isKnown && limit !== null) this.#unpriced.set(key, facts ?? null);
      return { kind: 'booked', ...this.#sums() };
    }
    // Without room everybody has to wait: what is not noted would not be counted.
    if (isAdmitted) return { kind: 'busy', spent, reserved, from: 'submit' };
    const from = bringing(left, expected, this.#returning(purchase, now, mayComeBack));
    if (from !== undefined) return { kind: 'busy', spent, reserved, from };
    return { kind: 'refused', spent, reserved, until: periodEnd(this.#per, now) };
  }

  /**
   * Whether a purchase may cost more than is reserved for it: until its price is told, with the answer to its submit or by
   * its task, what comes back is for no other one.
   */
  #isTriedOut(asking: Purchase, now: number): boolean {
    const entries = [...this.#unpriced.keys()].flatMap((key) => this.#entries.get(key) ?? []);
    return entries.some(
      (entry) =>
        entry.period === this.#period && (entry.taskId !== null || isUnderWay(entry, asking, now)),
    );
  }

  #counted({ runId }: Purchase, end: BookingEnd, now: number): BookingEnd {
    if (end.kind === 'busy') return { ...end, waiting: this.#waiting.add(runId, now) };
    this.#waiting.remove(runId);
    return end;
  }

  #hold({ workflowId, limit }: Extract<Booking, { kind: 'hold' }>, now: number): BookingEnd {
    const { spent, reserved } = this.#sums();
    const price = this.#dearest > 0 ? this.#dearest : null;
    const left = limit - spent - reserved;
    const { held: own = null, bought = 0 } = this.#parts.get(workflowId) ?? {};
    if (own === null && !admits(left, price)) {
      for (const [, part] of this.#running)
        part.lookAt = Math.min(part.lookAt, Math.max(now, part.since + STARTED_WITHIN));
      // What runs does not wait for what is not started: other parts may leave over what is held for them.
      const held = this.#heldInParts().reduce((sum, [, credits]) => sum + credits, 0);
      const returning = this.#returning(null, now, true);
      const from = bringing(left, price, { ...returning, part: returning.part + held });
      if (from !== undefined) return { kind: 'busy', spent, reserved, from };
      return { kind: 'refused', spent, reserved, until: null };
    }
    this.#parts.set(workflowId, {
      held: own ?? price ?? left,
      bought: own === null ? 0 : bought,
      since: now,
      lookAt: now + LOOK.part,
    });
    if (this.#parts.size > MOST_PARTS) {
      const all = [...this.#parts];
      const [forgotten = ''] = all.find(([, part]) => part.held === null) ?? all[0] ?? [];
      this.#parts.delete(forgotten);
    }
    return { kind: 'booked', ...this.#sums() };
  }

  /**
   * What may come back of what is reserved, by what would bring it. What holds it up is looked at soon.
   *
   * @param asking null: a part asks, and what comes back to another one is not for it
   * @param isPatient whether it waits for refunds; else only for tasks that have not told their price
   */
  #returning(asking: Purchase | null, now: number, isPatient = false): Returning {
    const returning = { submit: 0, task: 0, part: 0 };
    for (const [key, entry] of this.#entries) {
      if (entry.period !== this.#period) continue;
      entry.lookAt = Math.min(entry.lookAt, Math.max(now, entry.since + BETWEEN_LOOKS));
      const kind = entry.taskId === null ? 'submit' : 'task';
      const mayReturn =
        kind === 'task' ? isPatient || this.#unpriced.has(key) : isUnderWay(entry, asking, now);
      const { held = null } = this.#parts.get(this.#partOf(entry.workflowId) ?? '') ?? {};
      if (mayReturn) returning[asking === null && held !== null ? 'part' : kind] += entry.credits;
    }
    return returning;
  }

  /** Of what is not seen exactly the account has seen more than a process. Where both have seen it the price has changed. */
  #costOf({ price, expected, facts }: Cost & { facts?: PriceFacts | undefined }): Cost {
    const own = costOf(facts === undefined ? undefined : this.#prices.estimate(facts));
    const isExact = price !== null && expected === undefined;
    if (own.price === null) return { price, expected };
    if (!isExact) return own;
    return own.expected === undefined && own.price > price ? own : { price };
  }

  #endPart(name: string): void {
    const part = this.#parts.get(name);
    if (part === undefined) return;
    part.held = null;
    this.#noteEnded(`${name}/`);
  }

  /** A part that was ended from outside has told nothing of its price: what it has bought tells it. */
  #noteEnded(workflowId: string): void {
    const name = this.#partOf(workflowId) ?? '';
    const part = this.#parts.get(name);
    if (part === undefined || part.held !== null) return;
    const open = [...this.#entries].filter(([, entry]) => this.#partOf(entry.workflowId) === name);
    const known = open.filter(([key, { taskId }]) => taskId !== null && !this.#unpriced.has(key));
    const cost = known.reduce((sum, [, { credits }]) => sum + credits, part.bought);
    this.#dearest = Math.max(this.#dearest, cost);
    if (open.length === 0) this.#parts.delete(name);
  }

  /** Somebody knows what such a purchase costs at most. */
  #limit({ kind, volume }: PriceFacts, most: number): void {
    this.#shrink((what) => (what?.kind === kind && what.volume === volume ? most : null));
  }

  /** Such a purchase has cost so much. */
  #learn(facts: PriceFacts, credits: number): void {
    if (this.#prices.learn(facts, credits))
      this.#shrink((what) => costOf(what === null ? undefined : this.#prices.estimate(what)).price);
  }

  /** What was reserved while nobody knew its price holds no more than that once it is known. What holds less stays apart. */
  #shrink(priceOf: (what: PriceFacts | null) => number | null): void {
    for (const [key, what] of this.#unpriced) {
      const entry = this.#entries.get(key);
      const price = priceOf(what);
      if (entry === undefined || price === null || price > entry.credits + TINY) continue;
      this.#unpriced.delete(key);
      entry.credits = price;
    }
  }

  #accept({ purchase, taskId, credits, facts }: Extract<Booking, { kind: 'accept' }>, now: number): void {
    if (facts !== undefined) this.#learn(facts, credits);
    const key = keyOf(purchase);
    this.#correct(key, taskId);
    if (this.#settled.has(endOf(taskId))) {
      this.#remove(key);
      return;
    }
    const entry = this.#entries.get(key) ?? {
      ...purchase,
      period: this.#period,
      attempt: 1,
      credits: 0,
      taskId: null,
      since: now,
      lookAt: now,
    };
    this.#hasTask(entry, taskId, credits, now);
  }

  /** @param credits as its record has them: it may tell the price only at the end, until then what is reserved stands */
  #hasTask(entry: Entry, taskId: string | null, credits: number, now: number): void {
    const known = taskId === entry.taskId ? {} : { taskId, since: now, lookAt: now + LOOK.task };
    this.#put({ ...entry, ...known, ...(credits > 0 ? { credits } : {}) });
    if (credits > 0) this.#unpriced.delete(keyOf(entry));
    this.#noteEnded(entry.workflowId);
  }

  #doubt(purchase: Purchase, now: number): void {
    const entry = this.#entries.get(keyOf(purchase));
    if (entry !== undefined && entry.taskId === null)
      entry.since = Math.min(entry.since, now - ANSWERED_WITHIN);
  }

  #found({ workflowId, taskId, credits }: Extract<Booking, { kind: 'found' }>, now: number): void {
    const [, entry] = this.#openOf(workflowId, taskId) ?? [];
    if (entry !== undefined) this.#hasTask(entry, taskId, credits, now);
  }

  #settle({ workflowId, taskId, credits }: Extract<Booking, { kind: 'settle' }>): void {
    const [key, entry] = this.#openOf(workflowId, taskId) ?? [];
    if (key !== undefined && entry !== undefined) this.#end(key, entry, taskId, credits);
  }

  #openOf(workflowId: string, taskId: string): [key: string, entry: Entry] | undefined {
    if (this.#settled.has(endOf(taskId))) return undefined;
    const all = [...this.#entries];
    // Another workflow may have taken it over from the one that has bought it.
    const known = all.find(([, entry]) => entry.taskId === taskId);
    if (known !== undefined) return known;
    // One that lost its answer knows of no task: the first of these is the one that has been found.
    const [first, ...others] = all.filter(
      ([, entry]) => entry.workflowId === workflowId && entry.taskId === null,
    );
    if (first !== undefined && others.length > 0) this.#guess(taskId, first[1]);
    return first;
  }

  #guess(taskId: string, { ...entry }: Entry): void {
    this.#guessed.set(endOf(taskId), entry);
    const [oldest = ''] = this.#guessed.keys();
    if (this.#guessed.size > MOST_GUESSED) this.#guessed.delete(oldest);
  }

  /** A purchase has bought that task: another one that was taken for it is open again. */
  #correct(key: string, taskId: string): void {
    const taken = this.#guessed.get(endOf(taskId));
    this.#guessed.delete(endOf(taskId));
    if (taken !== undefined && keyOf(taken) !== key) this.#put(taken);
  }

  #release(purchase: Purchase, attempt: number): void {
    const key = keyOf(purchase);
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry.taskId === null && entry.attempt <= attempt) this.#remove(key);
  }

  #end(key: string, entry: Entry, taskId: string | null, credits: number | null): void {
    const isCounted = taskId !== null && this.#settled.has(endOf(taskId));
    const cost = isCounted ? 0 : (credits ?? entry.credits);
    if (entry.period === this.#period) this.#spent += cost;
    const part = this.#parts.get(this.#partOf(entry.workflowId) ?? '');
    if (part !== undefined) {
      part.bought += cost;
      if (part.held !== null) part.held = Math.max(0, part.held - cost);
    }
    this.#remove(key);
    if (taskId === null) return;
    this.#settled.add(endOf(taskId));
    const [oldest = ''] = this.#settled;
    if (this.#settled.size > REMEMBERED) this.#settled.delete(oldest);
  }

  /** @param own the part that asks: what is held for it is its own */
  #sums(own?: string): { spent: number; reserved: number } {
    let reserved = 0;
    for (const { period, credits } of this.#entries.values())
      if (period === this.#period) reserved += credits;
    for (const [part, credits] of this.#heldInParts()) if (part !== own) reserved += credits;
    return { spent: round(this.#spent), reserved: round(reserved) };
  }

  /** The parts that credits are held for. */
  get #running(): [name: string, part: Part][] {
    return [...this.#parts].filter(([, { held }]) => held !== null);
  }

  /** What is held for parts that run, beside what their open purchases have reserved of it. */
  #heldInParts(): [part: string, credits: number][] {
    const held = new Map<string, number>();
    for (const [part, { held: credits }] of this.#parts) if (credits !== null) held.set(part, credits);
    if (held.size === 0) return [];
    for (const { workflowId, credits } of this.#entries.values()) {
      const part = this.#partOf(workflowId) ?? '';
      const left = held.get(part);
      if (left !== undefined) held.set(part, left - credits);
    }
    return [...held].map(([part, credits]) => [part, Math.max(0, credits)]);
  }

  #partOf(workflowId: string): string | undefined {
    for (let end = workflowId.lastIndexOf('/'); end > 0; end = workflowId.lastIndexOf('/', end - 1)) {
      const part = workflowId.slice(0, end);
      if (this.#parts.has(part)) return part;
    }
    return undefined;
  }

  /** @returns false where there is no room */
  #put(entry: Entry): boolean {
    const key = keyOf(entry);
    const before = this.#entries.get(key);
    const bytes = this.#bytes + bytesOf(entry) - (before === undefined ? 0 : bytesOf(before));
    if (before === undefined && bytes > MOST_BYTES) return false;
    this.#bytes = bytes;
    this.#entries.set(key, entry);
    return true;
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#unpriced.delete(key);
    this.#bytes -= bytesOf(entry);
    this.#noteEnded(entry.workflowId);
  }
}

/** Credits that may come back, by what would bring them: a submit's end, a task's refund, the end of a part. */
type Returning = Record<CreditsFrom, number>;

/** What is waited for, the soonest first; undefined: nothing that may come back would be enough. */
function bringing(left: number, price: number | null, returning: Returning): CreditsFrom | undefined {
  let sum = left;
  return (['submit', 'task', 'part'] as const).find((from) => {
    sum += returning[from];
    return returning[from] > 0 && admits(sum, price);
  });
}

/** Whether the purchase's submit may still be answered. A run submits again when it is done with the submit before. */
function isUnderWay(
  { workflowId, runId, taskId, since }: Entry,
  asking: Purchase | null,
  now: number,
): boolean {
  const isOwn = workflowId === asking?.workflowId && runId === asking.runId;
  return taskId === null && !isOwn && now - since < ANSWERED_WITHIN;
}

/** @param price null: nobody knows it */
function admits(left: number, price: number | null): boolean {
  return price === null ? left > 0 : price <= left + TINY;
}

function keyOf({ workflowId, runId, activityId }: Purchase): string {
  return `${workflowId}\n${runId}\n${activityId}`;
}

function endOf(taskId: string): string {
  return taskId.slice(-KEPT_OF_ID);
}

function round(credits: number): number {
  return Math.round(credits * 1e6) / 1e6;
}

/** Its numbers may get longer while it is open. */
function bytesOf(entry: Entry): number {
  return jsonBytes(toList({ ...entry, attempt: 0, credits: 0, since: 0, lookAt: 0 })) + 60;
}

function toList(entry: Entry): AccountEntry {
  const { workflowId, runId, activityId, workspace, period, attempt, credits, taskId, since, lookAt } = entry;
  return [workflowId, runId, activityId, workspace, period, attempt, credits, taskId, since, lookAt];
}

function fromList(entry: AccountEntry): Entry {
  const [workflowId, runId, activityId, workspace, period, attempt, credits, taskId, since, lookAt] = entry;
  return { workflowId, runId, activityId, workspace, period, attempt, credits, taskId, since, lookAt };
}
