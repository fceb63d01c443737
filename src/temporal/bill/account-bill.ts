import { NO_USAGE } from '../../api/records/usage.ts';
import type { Booking, PurchaseFound, PurchaseToAudit } from '../../contract/entities/account.ts';
import { bookUpdate } from '../../contract/messages.ts';
import type { Tags } from '../../contract/tags.ts';
import { decode, type HistoryEvent, timeOf } from '../history.ts';
import { type BilledTask, isOpen, withRecord } from './run-bill.ts';

/** Workflows, runs and tasks that are kept, together. */
const MOST = 200_000;

/** A task, as accounts were told of it. */
interface ToldTask extends Pick<BilledTask, 'workflowId' | 'at'> {
  /** Undefined where only its end was told, as of a lost submit's. */
  runId?: string;
  /** The most that it was said to cost. */
  credits: number;
  /** The least that it was said to have cost at its end, which a record may show before its refund; Infinity: nobody has told. */
  cost: number;
}

/** What histories of accounts tell of purchases, whatever has become of those of the generations. */
export class AccountBill {
  /** Who has reserved for a submit, by the ids of the run and of its workflow. */
  readonly #buyers = new Map<string, Pick<BilledTask, 'runId' | 'workspace' | 'model' | 'tags'>>();
  readonly #tasks = new Map<string, ToldTask>();

  /** Whether further accounts are not read. */
  get isFull(): boolean {
    return this.#buyers.size + this.#tasks.size >= MOST;
  }

  tagsOf(workflowId: string): Tags | undefined {
    return this.#buyers.get(workflowId)?.tags;
  }

  /** @param events of one run of an account. What a Reset repeats is left to the run that was told it. */
  read(events: readonly HistoryEvent[]): void {
    if (this.isFull) return;
    const audits = new Map<string, PurchaseToAudit[]>();
    for (const event of events) {
      const at = timeOf(event);
      const { name, args } =
        event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input ?? {};
      const [bookings = []] = name === bookUpdate.name ? decode<[Booking[]]>(args) : [];
      for (const booking of bookings) this.#book(booking, at);
      const { activityType, input } = event.activityTaskScheduledEventAttributes ?? {};
      if (activityType?.name === 'auditPurchases')
        audits.set(String(event.eventId), decode<[PurchaseToAudit[]]>(input)[0] ?? []);
      const completed = event.activityTaskCompletedEventAttributes;
      const audited = audits.get(String(completed?.scheduledEventId)) ?? [];
      const [found = []] = audited.length === 0 ? [] : decode<[PurchaseFound[]]>(completed?.result);
      for (const [place, purchase] of audited.entries()) this.#found(purchase, found[place], at);
    }
  }

  /**
   * @param tasks what histories of generations tell
   * @returns these, each with what it has cost in the end where an account alone was told of it; and what accounts alone
   *   tell to be bought since then
   */
  complete(tasks: readonly BilledTask[], since: number): BilledTask[] {
    const alone = new Map(this.#tasks);
    const completed = tasks.map((task): BilledTask => {
      const { cost = Infinity } = alone.get(task.taskId) ?? {};
      alone.delete(task.taskId);
      return cost === Infinity || !isOpen(task) ? task : { ...withRecord(task, cost), isSettled: true };
    });
    return [...completed, ...[...alone].flatMap((entry) => this.#billed(...entry, since))];
  }

  #billed(taskId: string, told: ToldTask, since: number): BilledTask[] {
    const { workflowId, runId = '', at, credits, cost } = told;
    const buyer = this.#buyers.get(runId) ?? this.#buyers.get(workflowId);
    // Where none is known, a run of the account was told that was over before: it was bought then.
    if (buyer === undefined || at < since) return [];
    const total = Math.min(cost, credits);
    // No account is told of pools.
    const usage = { ...NO_USAGE, total };
    const task = { taskId, workflowId, ...buyer, at, credits, refunded: credits - total, usage };
    return [{ ...task, isCharged: true, ...(cost === Infinity ? {} : { isSettled: true }) }];
  }

  #book(booking: Booking, at: number): void {
    if (booking.kind === 'reserve') {
      const { purchase, model, tags } = booking;
      const { workflowId, runId, workspace } = purchase;
      for (const id of [runId, workflowId]) this.#buyers.set(id, { runId, workspace, model, tags });
    } else if (booking.kind === 'accept') {
      const { purchase, taskId, credits } = booking;
      const { workflowId, runId } = purchase;
      this.#told(taskId, { workflowId, runId, at, credits, cost: Infinity });
    } else if (booking.kind === 'found' || booking.kind === 'settle') {
      const { workflowId, taskId, credits, kind } = booking;
      this.#told(taskId, { workflowId, at, credits, cost: kind === 'settle' ? credits : Infinity });
    }
  }

  #found(purchase: PurchaseToAudit, found: PurchaseFound | undefined, at: number): void {
    if (found === undefined || found.kind === 'unbought') return;
    const { kind, taskId = purchase.taskId, credits } = found;
    if (taskId === null || credits == null) return;
    const { workflowId, runId } = purchase;
    this.#told(taskId, { workflowId, runId, at, credits, cost: kind === 'settled' ? credits : Infinity });
  }

  /** Whoever was told of first has bought it: another workflow may have taken it over. */
  #told(taskId: string, told: ToldTask): void {
    const known = this.#tasks.get(taskId) ?? told;
    const credits = Math.max(known.credits, told.credits);
    const cost = Math.min(known.cost, told.cost);
    this.#tasks.set(taskId, { ...(told.at < known.at ? told : known), credits, cost });
  }
}
