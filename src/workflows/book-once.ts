import { isCancellation, proxyLocalActivities } from '@temporalio/workflow';
import type { DarkroomActivities } from '../contract/activities.ts';
import type { BookingEnd, PartBooking } from '../contract/entities/account.ts';

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
export async function bookOnce(booking: PartBooking, of?: string): Promise<BookingEnd | undefined> {
  try {
    const [end] = await bookParts([booking], ...(of === undefined ? [] : [of]));
    return end;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return undefined;
  }
}
