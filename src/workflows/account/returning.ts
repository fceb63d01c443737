import { type CreditsFrom, type Purchase, RETURNING } from '../../contract/entities/account.ts';
import { admits, sumOf } from './credits.ts';
import type { OpenPurchase } from './open-purchases.ts';
import type { Parts } from './parts.ts';

/** What a submit has bought that was not answered shows itself within so long after that; else it counts as spent (milliseconds). */
const SHOWN_WITHIN = 2 * 60_000;
/** A task that has not ended for so long may never end: nobody waits for it any more (milliseconds). */
const ENDED_WITHIN = 24 * 60 * 60_000;

/** Who asks for credits that are not there now. */
interface Asking {
  /** null: a part. What comes back to another one is not for it. */
  purchase: Purchase | null;
  left: number;
  price: number | null;
  /** Whether it waits for what others have bought, or may have; else only for what tells its price soon. */
  isPatient: boolean;
}

/** The soonest first. */
const ORDER = ['submit', 'doubt', 'task', 'part'] as const satisfies readonly CreditsFrom[];

/**
 * What is waited for, the soonest first; undefined: nothing that may come back would be enough. What its own run may have
 * bought already is waited for in any case: it may be this very purchase. What holds it up is looked at soon.
 */
export function waitedFor(
  { purchase: asking, left, price, isPatient }: Asking,
  purchases: readonly OpenPurchase[],
  parts: Parts,
  now: number,
): CreditsFrom | undefined {
  // What runs does not wait for what is not started: other parts may leave over what is held for them.
  const returning = { submit: 0, doubt: 0, task: 0, part: asking === null ? sumOf(parts.heldBeside()) : 0 };
  const own = new Set<CreditsFrom>();
  for (const purchase of purchases) {
    const { workflowId, unpriced, credits, since } = purchase;
    purchase.lookAt = Math.min(purchase.lookAt, Math.max(now, since + RETURNING.lookedAtWithin));
    const kind = standing(purchase, asking, now);
    if (kind === undefined) continue;
    if (isOwn(purchase, asking)) own.add(kind);
    const mayReturn = kind === 'submit' || isPatient || unpriced !== undefined;
    const isOfPart = asking === null && parts.of(workflowId) !== undefined;
    if (mayReturn) returning[isOfPart ? 'part' : kind] += credits;
  }
  let sum = left;
  return ORDER.find((from) => {
    sum += returning[from];
    return own.has(from) || (returning[from] > 0 && admits(sum, price));
  });
}

/** The tasks that a run has bought already, as far as the account knows. */
export function boughtBy(asking: Purchase | null, purchases: readonly OpenPurchase[]): string[] {
  return purchases.flatMap((one) => (isOwn(one, asking) ? (one.taskId ?? []) : []));
}

/** What is reserved for an earlier submit of a run: another one of it costs as much, whoever knows a price; null: nothing. */
export function pricedBefore(asking: Purchase, purchases: readonly OpenPurchase[]): number | null {
  const own = purchases.find((one) => isOwn(one, asking) && one.unpriced === undefined && one.credits > 0);
  return own?.credits ?? null;
}

/**
 * Whether a purchase may cost more than is reserved for it: until its price is told, or nobody may ever tell it, what comes
 * back is for no other one.
 */
export function isTriedOut(purchases: readonly OpenPurchase[], asking: Purchase, now: number): boolean {
  return purchases.some((one) => one.unpriced !== undefined && standing(one, asking, now) !== undefined);
}

/**
 * How a purchase stands: its submit may still be answered, nobody can tell yet what it has bought, or its task is known.
 * Undefined: nobody may ever tell. A run submits again when it is done with the submit before.
 */
function standing(
  purchase: OpenPurchase,
  asking: Purchase | null,
  now: number,
): 'submit' | 'doubt' | 'task' | undefined {
  const { taskId, since, answeredBy } = purchase;
  if (taskId !== null) return now - since < ENDED_WITHIN ? 'task' : undefined;
  if (now < answeredBy && !isOwn(purchase, asking)) return 'submit';
  return now < chargedBy(purchase) ? 'doubt' : undefined;
}

/** Until when a submit of which no task is known may be charged, as far as anybody can tell. */
export const chargedBy = ({ answeredBy }: OpenPurchase): number => answeredBy + SHOWN_WITHIN;

function isOwn({ workflowId, runId }: Purchase, asking: Purchase | null): boolean {
  return workflowId === asking?.workflowId && runId === asking.runId;
}
