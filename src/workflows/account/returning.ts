import { type CreditsFrom, type Purchase, RETURNING } from '../../contract/entities/account.ts';
import { admits } from './credits.ts';
import type { OpenPurchase } from './open-purchases.ts';
import type { Parts } from './parts.ts';

/** A submit that was not answered for so long may never be: nobody waits for it any more (milliseconds). */
export const ANSWERED_WITHIN = 2 * 60_000;
/** A task that has not ended for so long may never end: nobody waits for it any more (milliseconds). */
const ENDED_WITHIN = 24 * 60 * 60_000;

/** Who asks for credits that are not there now. */
interface Asking {
  /** null: a part. What comes back to another one is not for it. */
  purchase: Purchase | null;
  left: number;
  price: number | null;
  /** Whether it waits for refunds; else only for tasks that have not told their price. */
  isPatient: boolean;
}

/**
 * What is waited for, the soonest first; undefined: nothing that may come back would be enough. What holds it up is looked
 * at soon.
 */
export function waitedFor(
  { purchase: asking, left, price, isPatient }: Asking,
  purchases: readonly OpenPurchase[],
  parts: Parts,
  now: number,
): CreditsFrom | undefined {
  // What runs does not wait for what is not started: other parts may leave over what is held for them.
  const returning = { submit: 0, task: 0, part: asking === null ? parts.heldBeside() : 0 };
  for (const purchase of purchases) {
    const { workflowId, taskId, unpriced, credits, since } = purchase;
    purchase.lookAt = Math.min(purchase.lookAt, Math.max(now, since + RETURNING.lookedAtWithin));
    const kind = taskId === null ? 'submit' : 'task';
    const mayReturn =
      kind === 'task'
        ? (isPatient || unpriced !== undefined) && now - since < ENDED_WITHIN
        : isUnderWay(purchase, asking, now);
    const isOfPart = asking === null && parts.of(workflowId)?.held !== undefined;
    if (mayReturn) returning[isOfPart ? 'part' : kind] += credits;
  }
  let sum = left;
  return (['submit', 'task', 'part'] as const).find((from) => {
    sum += returning[from];
    return returning[from] > 0 && admits(sum, price);
  });
}

/**
 * Whether a purchase may cost more than is reserved for it: until its price is told, with the answer to its submit or by
 * its task, what comes back is for no other one.
 */
export function isTriedOut(purchases: readonly OpenPurchase[], asking: Purchase, now: number): boolean {
  return purchases.some(
    (one) => one.unpriced !== undefined && (one.taskId !== null || isUnderWay(one, asking, now)),
  );
}

/** Whether a purchase's submit may still be answered. A run submits again when it is done with the submit before. */
function isUnderWay(
  { workflowId, runId, taskId, since }: OpenPurchase,
  asking: Purchase | null,
  now: number,
): boolean {
  const isOwn = workflowId === asking?.workflowId && runId === asking.runId;
  return taskId === null && !isOwn && now - since < ANSWERED_WITHIN;
}
