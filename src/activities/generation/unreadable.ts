import { ApplicationFailure } from '@temporalio/common';

/** A task whose record cannot be read is asked about again after this (milliseconds). */
export const UNREAD_RECHECK = 2_000;

/** A submit that is tried again because it cannot be told what was bought before. */
export const UNREADABLE = 'EARLIER_PURCHASE_UNREADABLE';

/** Nothing is bought blindly: the submit is tried again. */
export function unreadable(taskId: string, reason: string, nextRetryDelay: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: UNREADABLE,
    message: `task ${taskId} may have been bought for this before, and its record cannot be read now: ${reason}`,
    nextRetryDelay,
  });
}
