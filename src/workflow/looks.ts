import { type ActivityOptions } from '@temporalio/workflow';

/**
 * Looks are short, and on Darkroom's own task queue. What still runs is looked at again by Temporal's own retries, later
 * and later: between two of them nothing is held anywhere, and the history does not grow.
 */
export function looksAt(taskQueue: string): ActivityOptions {
  return {
    taskQueue,
    startToCloseTimeout: '1 minute',
    retry: { initialInterval: '500 milliseconds', backoffCoefficient: 1.5, maximumInterval: '1 minute' },
  };
}
