import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  isCancellation,
  type LocalActivityInput,
  scheduleActivity,
  TemporalFailure,
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
/** And the share that it may wait for one of the worker's places. It is told when it gets one: until then nothing ends it. */
const WAIT = 0.1;

/**
 * A run's last words stay local, however long they take: they and the run's end are of one workflow task, so that no Reset
 * comes between them, and a re-run may ask what the first run did not.
 */
const LAST_WORDS: ReadonlySet<string> = new Set(['accountedTasks', 'startCallback']);

export function forOneTry(input: LocalActivityInput): LocalActivityInput {
  if (LAST_WORDS.has(input.activityType)) return input;
  const { taskTimeoutMs } = workflowInfo();
  const scheduleToCloseTimeout = Math.round(SHARE * taskTimeoutMs);
  const scheduleToStartTimeout = Math.round(WAIT * taskTimeoutMs);
  const times = { scheduleToCloseTimeout, scheduleToStartTimeout };
  return { ...input, options: { ...input.options, ...times, retry: { maximumAttempts: 1 } } };
}

/**
 * Whether nobody is to try again what has failed with this as a local activity: the ordinary one has all tries that its
 * options say. A time-out comes in an ActivityFailure, and in a replay as itself.
 */
export function isFinal(
  error: unknown,
  { activityType, options: { retry = {} } }: LocalActivityInput,
): boolean {
  if (LAST_WORDS.has(activityType)) return true;
  // Else it never began: the worker does not have it.
  if (!(error instanceof TemporalFailure) || isCancellation(error)) return true;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure)) return false;
  return cause.nonRetryable || (retry.nonRetryableErrorTypes ?? []).includes(cause.type ?? '');
}

/** What a run waits for in the middle of a turn does not stand behind downloads. */
export async function tryOrdinarily({ activityType, args, options }: LocalActivityInput): Promise<unknown> {
  try {
    return await scheduleActivity(activityType, args, { ...options, priority: { priorityKey: 1 } });
  } catch (error) {
    // It would have been tried again, had the run not been cancelled.
    if (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED')
      throw new CancelledFailure(error.message, [], error);
    throw error;
  }
}
