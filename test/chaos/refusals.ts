import { SUBMITS, type SubmitTaskResult } from '../../src/contract/tasks/submit-task.ts';
import { decode, type HistoryEvent, timeOf } from '../../src/temporal/history.ts';
import { isOf, priceOf } from './cap-books.ts';
import type { LedgerCharge } from './emulator-control.ts';

/** src/activities/account/reservation.ts: what a budget says that does not admit a purchase. */
const SAYS =
  /the budget of (?<owner>\S+), (?<limit>[\d.]+) credits, does not admit it: (?<spent>[\d.]+) are spent, (?<reserved>[\d.]+) reserved, and (?:it may cost (?<costs>[\d.]+)|nobody knows what it will cost)/;

/** What a refusal says, in credits. */
interface Refusal {
  owner: string;
  limit: number;
  spent: number;
  reserved: number;
  /** null: nobody knows. */
  costs: number | null;
}

/** The submits of a workflow, by the histories of its runs. */
export interface Submits {
  workflowId: string;
  /** The tasks that they have bought, as they were told. */
  bought: ReadonlySet<string>;
  /** How many have not told whether they have bought. */
  untold: number;
}

/** What there was when a purchase was refused. */
interface Books {
  /** Milliseconds since the epoch. */
  at: number;
  /** Credits by workflow id. */
  budgets: ReadonlyMap<string, number>;
  /** What the API has charged. */
  charges: readonly LedgerCharge[];
  submits: readonly Submits[];
}

/**
 * What is not true of a budget's refusal, in words; undefined: it is honest. It has to be of a budget that the workflow has,
 * and all that it says has to be more than that: what is spent by the ledger, what is reserved for tasks that were bought and
 * for submits that may have bought one, and the price. What is to be paid back by the ledger stands against nothing.
 */
export function untrueIn(message: string, workflowId: string, books: Books): string | undefined {
  const refusal = read(message);
  if (refusal === undefined) return 'it does not say why';
  const { owner, limit, spent, reserved, costs } = refusal;
  if (!isOf(owner, workflowId) || books.budgets.get(owner) !== limit) return 'there is no such budget';
  if (costs === null ? spent + reserved < limit : spent + reserved + costs <= limit)
    return 'what it says has room';
  const paid = books.charges.filter(
    ({ workflow, at }) => isOf(owner, workflow) && Date.parse(at) <= books.at,
  );
  const kept = priceOf(paid);
  if (spent > kept) return `${kept} were spent by the ledger`;
  const gross = paid.reduce((sum, { credits }) => sum + credits, 0);
  const own = books.submits.filter((one) => isOf(owner, one.workflowId));
  const told = new Set(own.flatMap(({ bought }) => [...bought]));
  const untold = own.reduce((sum, one) => sum + one.untold, 0);
  const least = (some: readonly LedgerCharge[]): number =>
    Math.max(0, untold - some.filter(({ taskId }) => !told.has(taskId)).length) * (costs ?? limit);
  const open = gross - spent + least(paid);
  if (reserved > open) return `${open} were open`;
  const stands = kept + least(paid.filter(({ refund }) => refund === null));
  return stands + (costs ?? 0) > limit || (costs === null && stands >= limit)
    ? undefined
    : `${stands} stood against it`;
}

function read(message: string): Refusal | undefined {
  const { owner, limit, spent, reserved, costs } = SAYS.exec(message)?.groups ?? {};
  if (owner === undefined) return undefined;
  return {
    owner,
    limit: Number(limit),
    spent: Number(spent),
    reserved: Number(reserved),
    costs: costs === undefined ? null : Number(costs),
  };
}

/** When a submit was refused with that message. */
export function refusedAt(message: string, events: readonly HistoryEvent[]): number | undefined {
  const refused = events.findLast(
    ({ activityTaskFailedEventAttributes: failed }) => failed?.failure?.message === message,
  );
  return refused === undefined ? undefined : timeOf(refused);
}

/** What the history of a run tells of its submits by then. @param until milliseconds since the epoch */
export function submitsIn(workflowId: string, events: readonly HistoryEvent[], until: number): Submits {
  const untold = new Set<string>();
  const bought = new Set<string>();
  for (const event of events.filter((one) => timeOf(one) <= until)) {
    const {
      activityTaskScheduledEventAttributes: scheduled,
      activityTaskCompletedEventAttributes: completed,
    } = event;
    if (SUBMITS.has(scheduled?.activityType?.name ?? '')) untold.add(String(event.eventId));
    // One that has failed has bought nothing.
    const { scheduledEventId } = completed ?? event.activityTaskFailedEventAttributes ?? {};
    const id = String(scheduledEventId);
    if (!untold.has(id)) continue;
    const [result] = completed == null ? [] : decode<[SubmitTaskResult]>(completed.result);
    if (result?.kind === 'unknown') continue;
    untold.delete(id);
    if (result?.kind === 'accepted' && !result.adopted) bought.add(result.taskId);
  }
  return { workflowId, bought, untold: untold.size };
}
