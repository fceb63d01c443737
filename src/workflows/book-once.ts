import { isCancellation, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import { given } from '../api/json/given.ts';
import type { DarkroomActivities } from '../contract/activities.ts';
import type { PartToBook } from '../contract/batch.ts';
import type { BookingEnd } from '../contract/entities/account.ts';
import { budgetsBelow } from '../contract/purchases/payers.ts';

const { bookParts } = proxyLocalActivities<Pick<DarkroomActivities, 'bookParts'>>({
  startToCloseTimeout: '20 seconds',
  retry: { maximumAttempts: 1 },
});

/**
 * Books on the account of a budget, and does not wait for one that does not answer: who books again says so.
 *
 * @param of the workflow whose budget it is; absent: the one that books
 * @returns undefined where the account does not answer: what it may have booked is booked once
 */
export async function bookOnce(booking: PartToBook, of?: string): Promise<BookingEnd | undefined> {
  try {
    const [end] = await bookParts([booking], ...(of === undefined ? [] : [of]));
    return end;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return undefined;
  }
}

/**
 * Whoever starts with a budget says so at once. Of its own one where earlier runs may have started something, which is bound
 * by it from here on; of another workflow's in any case: its account is to be there as long as this one. What does not
 * answer hears by the next purchase.
 *
 * @param isAgain whether the workflow's id may have had a run before
 */
export async function tellBudgets(
  request: Parameters<typeof budgetsBelow>[1],
  { isAgain }: { isAgain: boolean },
): Promise<void> {
  const { workflowId, startTime } = workflowInfo();
  const { budgetsAbove = [] } = budgetsBelow({ workflowId, startedAt: startTime.getTime() }, request);
  for (const { workflowId: of, credits, since = 0, by } of budgetsAbove) {
    if (by === workflowId || (isAgain && of === workflowId))
      await bookOnce({ kind: 'limit', limit: credits, since, ...given({ by }) }, of);
  }
}
