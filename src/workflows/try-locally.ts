import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  type LocalActivityInput,
  type Next,
  scheduleActivity,
  type WorkflowOutboundCallsInterceptor,
  workflowInfo,
} from '@temporalio/workflow';

/** The share of a workflow task's time that a local activity may take: at 0.8 the SDK has the task prolonged. */
const SHARE = 0.6;

/**
 * Calls a local activity once, and not for long. What takes longer, or is to be tried again, is called as an ordinary
 * activity with the same options.
 *
 * A local activity that outlives its workflow task has it prolonged. The SDK then shows a replay, at the activity's
 * beginning, the time and the length of the history at the end of the prolonged task (SDK 1.x): a run that had gone by
 * the time there may take another way in the replay, and be stuck.
 */
export async function tryLocally(
  input: LocalActivityInput,
  next: Next<WorkflowOutboundCallsInterceptor, 'scheduleLocalActivity'>,
): Promise<unknown> {
  const { activityType, args, options } = input;
  const scheduleToCloseTimeout = SHARE * workflowInfo().taskTimeoutMs;
  const once = { ...options, scheduleToCloseTimeout, retry: { maximumAttempts: 1 } };
  try {
    return await next({ ...input, options: once });
  } catch (error) {
    if (isCancellation(error) || isFinal(error, options)) throw error;
    // What a run waits for in the middle of a turn does not stand behind downloads.
    return await scheduleActivity(activityType, args, { ...options, priority: { priorityKey: 1 } });
  }
}

function isFinal(error: unknown, { retry = {} }: LocalActivityInput['options']): boolean {
  const { maximumAttempts, nonRetryableErrorTypes = [] } = retry;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (maximumAttempts === 1) return true;
  if (!(cause instanceof ApplicationFailure)) return false;
  return cause.nonRetryable || nonRetryableErrorTypes.includes(cause.type ?? '');
}
