import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  type LocalActivityInput,
  scheduleActivity,
  workflowInfo,
} from '@temporalio/workflow';

/*
 * A local activity is tried once, and not for long; what takes longer, or is to be tried again, is an ordinary activity
 * with the same options.
 *
 * A local activity that outlives its workflow task has it prolonged. The SDK then shows a replay, at the activity's
 * beginning, the time and the length of the history at the end of the prolonged task (SDK 1.x): a run that had gone by
 * the time there may take another way in the replay, and be stuck.
 */

/** The share of a workflow task's time that a local activity may take: at 0.8 the SDK has the task prolonged. */
const SHARE = 0.6;

export function forOneTry(input: LocalActivityInput): LocalActivityInput {
  const scheduleToCloseTimeout = Math.round(SHARE * workflowInfo().taskTimeoutMs);
  return { ...input, options: { ...input.options, scheduleToCloseTimeout, retry: { maximumAttempts: 1 } } };
}

/** Whether nobody is to try again what has failed with this as a local activity. */
export function isFinal(error: unknown, { options: { retry = {} } }: LocalActivityInput): boolean {
  const { maximumAttempts, nonRetryableErrorTypes = [] } = retry;
  if (maximumAttempts === 1 || isCancellation(error)) return true;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure)) return false;
  return cause.nonRetryable || nonRetryableErrorTypes.includes(cause.type ?? '');
}

/** What a run waits for in the middle of a turn does not stand behind downloads. */
export async function tryOrdinarily({ activityType, args, options }: LocalActivityInput): Promise<unknown> {
  return await scheduleActivity(activityType, args, { ...options, priority: { priorityKey: 1 } });
}
