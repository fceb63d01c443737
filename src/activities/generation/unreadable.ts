import { ApplicationFailure } from '@temporalio/common';
import { UNREADABLE } from '../../contract/tasks/submit-task.ts';

/** A task whose record cannot be read is asked about again after this (milliseconds). */
export const UNREAD_RECHECK = 2_000;

/** Nothing is bought blindly: the submit is tried again. */
export function unreadable(taskId: string, reason: string, nextRetryDelay: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: UNREADABLE,
    message: `task ${taskId} may have been bought for this before, and its record cannot be read now: ${reason}`,
    nextRetryDelay,
  });
}
