import { ApplicationFailure } from '@temporalio/common';
import { given } from '../../api/json/given.ts';
import {
  type AccountName,
  type Booking,
  type BookingOf,
  type EndOf,
  type Purchase,
  RETURNING,
} from '../../contract/entities/account.ts';
import { refusedInWords, reservedInWords, unansweredInWords } from '../../contract/entities/account-words.ts';
import { ACCOUNT_AWAY, CAP_REACHED, CREDITS_RESERVED } from '../../contract/tasks/submit-task.ts';
import type { Cap } from '../../policy/caps.ts';
import type { PriceFacts } from '../../policy/prices/price-table.ts';
import type { Payers } from './payers.ts';
import type { Prices } from './prices.ts';

/** Who pays for a purchase: an account with what it has to hold. */
export interface Payer {
  account: AccountName;
  /** In words: `cap film-day of 500 credits a day`. */
  words: (credits: number) => string;
  credits: number;
  /** When somebody has said so, in milliseconds since the epoch: the account may have been told of another limit since. */
  since?: number;
  /** Who has said so, where it is not the account's owner. */
  by?: string;
  action: Cap['action'];
  /** What it refuses now it may admit when a task was refunded. */
  waitsForRefunds?: true;
}

/**
 * Pauses before the next try where credits may come back (milliseconds), a quarter more or less. Of longer ones that are
 * for many, each is anything up to that: those that have begun together would all come together otherwise.
 */
const BUSY = { first: 200, factor: 1.6, longest: RETURNING.askedWithin / 1.25 };
/** A cap that waits is looked at again this soon, at the latest: somebody may have raised it (milliseconds). */
const LONGEST_WAIT = 10 * 60_000;

/** Where it is booked. */
type Books = Pick<Payers, 'book' | 'tell' | 'accepted' | 'passed'>;

/** Which try of a purchase it is, from 1; and how many milliseconds it takes at most. */
export interface Tried {
  attempt: number;
  answeredWithin?: number | undefined;
}

/**
 * The credits that a submit may cost, reserved with all who pay for it before it is sent. What becomes of them is told
 * by its end; where that is lost, the account finds out.
 */
export class Reservation {
  readonly #books: Books;
  readonly #payers: readonly Payer[];
  readonly #purchase: Purchase;
  readonly #tried: Tried;
  #held: AccountName[] = [];
  #bought: readonly string[] = [];
  #busy: string | undefined;

  constructor(of: { books: Books; payers: readonly Payer[]; purchase: Purchase; tried: Tried }) {
    this.#books = of.books;
    this.#payers = of.payers;
    this.#purchase = of.purchase;
    this.#tried = of.tried;
  }

  /** What its run has bought already, as the account has told that made it wait: the run may not have heard of it. */
  get bought(): readonly string[] {
    return this.#bought;
  }

  /** The scope of the account that was busy. */
  get busyWith(): string | undefined {
    return this.#busy;
  }

  /**
   * Asks whoever was busy before first: who waits for one payer holds nothing of another's meanwhile.
   *
   * @param of what it costs as far as this process knows, and what that hangs on; what the bill tells of it
   * @param waits how often it has been busy before, and with whom
   * @throws ApplicationFailure BUDGET_EXCEEDED; or a retryable one where it is to come again
   */
  async make(
    {
      cost,
      facts,
      model,
      tags,
    }: Pick<ReturnType<Prices['of']>, 'cost' | 'facts'> & Pick<BookingOf<'reserve'>, 'model' | 'tags'>,
    waits: number,
    busyWith?: string,
  ): Promise<void> {
    const purchase = this.#purchase;
    const isFirst = ({ account }: Payer): number => (account.scope === busyWith ? 0 : 1);
    for (const payer of this.#payers.toSorted((one, other) => isFirst(one) - isFirst(other))) {
      const { account, credits, since, by, action, waitsForRefunds } = payer;
      const limit = action === 'warn' ? null : credits;
      const booking: Booking = {
        kind: 'reserve',
        purchase,
        ...this.#tried,
        model,
        tags,
        ...cost,
        limit,
        ...given({ since, by, facts, mayComeBack: waitsForRefunds }),
      };
      const end = await this.#books.book(account, booking).catch((error: unknown) => {
        throw away(payer, error);
      });
      const told = { ...payer, credits: end.limit ?? credits };
      if (end.kind === 'booked') {
        this.#held.push(account);
        if (end.spent + end.reserved > told.credits) this.#books.passed(told, end.spent + end.reserved);
        continue;
      }
      await this.release();
      if (end.kind === 'busy') {
        this.#bought = end.bought ?? [];
        this.#busy = account.scope;
      }
      throw end.kind === 'busy' ? busy(told, end, waits) : refused(told, end);
    }
  }

  /** The submit has bought a task. */
  accept(taskId: string, credits: number, facts: PriceFacts | undefined): void {
    const accept = { kind: 'accept', purchase: this.#purchase, taskId, credits } as const;
    this.#books.accepted(this.#held, { ...accept, ...(facts === undefined ? {} : { facts }) });
  }

  /** Nobody can tell whether the submit has bought. */
  async doubt(): Promise<void> {
    const purchase = this.#purchase;
    await Promise.all(this.#held.map((account) => this.#books.tell(account, { kind: 'doubt', purchase })));
  }

  /** The submit has bought nothing, for sure. */
  async release(): Promise<void> {
    const { attempt } = this.#tried;
    const purchase = this.#purchase;
    const held = this.#held;
    this.#held = [];
    await Promise.all(
      held.map((account) => this.#books.tell(account, { kind: 'release', purchase, attempt })),
    );
  }
}

function away({ words, credits }: Payer, error: unknown): ApplicationFailure {
  const reason = error instanceof Error ? error.message : String(error);
  return ApplicationFailure.create({
    type: ACCOUNT_AWAY,
    message: `${unansweredInWords(words(credits))}: ${reason}`,
  });
}

function busy({ words, credits, action }: Payer, end: EndOf<'busy'>, waits: number): ApplicationFailure {
  const { from, waiting = 0 } = end;
  const longest = Math.max(BUSY.longest, RETURNING.apart * waiting);
  const pause = Math.min(longest, BUSY.first * BUSY.factor ** waits);
  const least = pause > BUSY.longest ? 0 : 0.75;
  return ApplicationFailure.create({
    type: action === 'wait' && from === 'task' ? CAP_REACHED : CREDITS_RESERVED,
    message: reservedInWords(words(credits), end),
    nextRetryDelay: Math.ceil(pause * (least + Math.random() * (1.25 - least))),
  });
}

function refused({ words, credits, action }: Payer, end: EndOf<'refused'>): ApplicationFailure {
  const { price, until } = end;
  const message = refusedInWords(words(credits), end);
  if (action === 'wait' && (price ?? 0) <= credits) {
    const rest = until === null ? LONGEST_WAIT : Math.max(1_000, until - Date.now());
    // Not all at once when the period begins.
    const nextRetryDelay = Math.ceil(Math.min(LONGEST_WAIT, rest + 1_000) * (1 + Math.random() / 20));
    return ApplicationFailure.create({ type: CAP_REACHED, message, nextRetryDelay });
  }
  const details = { code: 'BUDGET_EXCEEDED', message };
  return ApplicationFailure.create({
    type: 'BUDGET_EXCEEDED',
    message,
    nonRetryable: true,
    details: [details],
  });
}
