import { Context } from '@temporalio/activity';
import QuickLRU from 'quick-lru';
import { given } from '../../api/json/given.ts';
import {
  type AccountName,
  accountOfCap,
  type Booking,
  type BookingEnd,
  type PartBooking,
  type Purchase,
} from '../../contract/entities/account.ts';
import { budgetInWords } from '../../contract/entities/account-words.ts';
import type { BudgetAbove } from '../../contract/purchases/payers.ts';
import { type Cap, type Capped, capsOn } from '../../policy/caps.ts';
import { periodOf } from '../../policy/periods.ts';
import { budgetAccount } from '../../temporal/read-account.ts';
import type { DarkroomMetrics } from '../metrics.ts';
import type { WarningLog } from '../warning-log.ts';
import type { Accounts } from './accounts.ts';
import type { ChargedTask, Prices } from './prices.ts';
import { type Payer, Reservation, type Tried } from './reservation.ts';

/** Tasks whose accounts this process remembers. */
const REMEMBERED = 10_000;
/**
 * So long is waited for an account that does not answer; who wants it comes again (milliseconds). A submit keeps a place of
 * its workspace meanwhile, and Temporal takes an attempt that lasts for one that has sent its request.
 */
const PATIENCE = 8_000;
/** How long a process that stops waits for what it has still to tell (milliseconds). */
const LAST_WORDS = 5_000;

/** A task of which somebody has read. */
export interface ReadTask extends ChargedTask {
  workspace: string;
  workflowId: string;
  /** The workflows whose budgets pay for it. */
  paidBy: readonly string[];
}

/** Who pays for purchases, by the caps of the configuration. Where nobody limits anything, nothing is booked. */
export class Payers {
  readonly #accounts: Accounts;
  readonly #caps: readonly Cap[];
  readonly #prices: Pick<Prices, 'charged'>;
  readonly #log: WarningLog;
  readonly #metrics: Pick<DarkroomMetrics, 'capPassed'>;
  /** By task: the accounts that hold it; none: they were told of its end. */
  readonly #holders = new QuickLRU<string, readonly AccountName[]>({ maxSize: REMEMBERED });
  /** The period that it was last said in that a cap is passed, by its account. */
  readonly #passed = new Map<string, string>();
  /** What is being told. */
  readonly #telling = new Set<Promise<unknown>>();

  constructor(
    accounts: Accounts,
    caps: readonly Cap[],
    {
      prices,
      log,
      metrics,
    }: { prices: Pick<Prices, 'charged'>; log: WarningLog; metrics: Pick<DarkroomMetrics, 'capPassed'> },
  ) {
    this.#accounts = accounts;
    this.#caps = caps;
    this.#prices = prices;
    this.#log = log;
    this.#metrics = metrics;
  }

  /**
   * @param budgets its own, and those above it
   * @param tried see `Reservation`
   */
  reservation(
    of: Capped & { budgets: readonly BudgetAbove[] },
    purchase: Purchase,
    tried: Tried,
  ): Reservation | undefined {
    const payers = [...of.budgets.map(budgetPayer), ...capsOn(this.#caps, of).map(payerOf)];
    if (payers.length === 0) return undefined;
    return new Reservation({ payers, purchase, tried, books: this });
  }

  /** @throws where the account does not answer soon: it is to be booked again */
  async book(account: AccountName, booking: Booking): Promise<BookingEnd> {
    return await this.#accounts.book(account, booking, PATIENCE);
  }

  /** @param of the workflow whose budget it is; absent: that of the activity */
  async bookPart(booking: PartBooking, of?: string): Promise<BookingEnd> {
    const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
    return await this.book(budgetAccount(of ?? workflowId), booking);
  }

  /** A submit has bought a task. What an account does not hear of now, it finds out. */
  accepted(accounts: readonly AccountName[], accept: Extract<Booking, { kind: 'accept' }>): void {
    this.#holders.set(accept.taskId, accounts);
    for (const account of accounts) void this.tell(account, accept, Infinity);
  }

  /** A look has found that a task has ended. */
  ended(task: ReadTask): void {
    this.#tellAll('settle', task);
    this.#holders.set(task.taskId, []);
  }

  /** A lost submit has bought a task, which has not ended. */
  found(task: ReadTask): void {
    this.#tellAll('found', task);
  }

  #tellAll(kind: 'settle' | 'found', task: ReadTask): void {
    this.#prices.charged(task);
    const { taskId, workspace, model, workflowId, credits, facts, paidBy } = task;
    // Another process may have bought it: an account that does not know it is told in vain.
    const accounts = this.#holders.get(taskId) ?? [
      ...paidBy.map(budgetAccount),
      ...capsOn(this.#caps, { workspace, model, tags: undefined }).map(accountOfCap),
    ];
    const booking = { kind, workflowId, taskId, credits, ...given({ facts }) };
    for (const account of accounts) void this.tell(account, booking, Infinity);
  }

  /**
   * Never throws.
   *
   * @param patience how long it is tried while the account does not answer, in milliseconds
   */
  async tell(account: AccountName, booking: Booking, patience = PATIENCE): Promise<void> {
    const told = this.#accounts.book(account, booking, patience).then(
      () => undefined,
      (error: unknown) =>
        this.#log.warn(
          { err: error, account: account.scope },
          'an account was not told of a purchase: it will look by itself',
        ),
    );
    this.#telling.add(told);
    await told;
    this.#telling.delete(told);
  }

  /** A limit that only warns was passed: said once a period. */
  passed({ account, words, credits: limit }: Payer, credits: number): void {
    const period = periodOf(account.per, Date.now());
    if (this.#passed.get(account.scope) === period) return;
    this.#passed.set(account.scope, period);
    if (account.owner === undefined) this.#metrics.capPassed(account.scope);
    this.#log.warn({ account: account.scope, credits }, `${words(limit)} is passed: ${credits} credits`);
  }

  /** Waits for what is being told. */
  async stop(): Promise<void> {
    const isLate = new Promise((resolve) => setTimeout(resolve, LAST_WORDS).unref());
    await Promise.race([Promise.all(this.#telling), isLate]);
  }
}

function budgetPayer({ workflowId, credits, since, by, mayBePassed }: BudgetAbove): Payer {
  const account = budgetAccount(workflowId);
  const words = (limit: number): string => budgetInWords(workflowId, limit);
  const payer = { account, words, credits, ...given({ by }) };
  if (mayBePassed === true) return { ...payer, action: 'warn' };
  return { ...payer, ...given({ since }), action: 'fail', waitsForRefunds: true };
}

function payerOf(cap: Cap): Payer {
  const { name, credits, per, action } = cap;
  const words = (): string => `cap ${name} of ${credits} credits ${per === 'ever' ? 'in all' : `a ${per}`}`;
  const waits = action === 'wait' ? ({ waitsForRefunds: true } as const) : {};
  return { account: accountOfCap(cap), words, credits, action, ...waits };
}
