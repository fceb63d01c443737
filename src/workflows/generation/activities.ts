import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import { fairnessKey, submitQueue, UNSLOWED_WEIGHT } from '../../contract/submit-queue.ts';
import { formatDuration } from '../../policy/duration.ts';
import type { Policy } from '../../policy/policy.ts';

/** Short, idempotent calls: run in the worker that has the workflow, at no cost of a task of their own. */
export const local = proxyLocalActivities<
  Pick<
    DarkroomActivities,
    // A claim must not wait for a place behind downloads: until it is in, nobody keeps the task's evidence for it.
    'checkGeneration' | 'getTask' | 'lookAtTask' | 'accountedTasks' | 'requestClaim'
  >
>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds' },
});

/** Calls to Temporal itself for claims: retried until it answers. */
export const claims = proxyActivities<Pick<DarkroomActivities, 'requestClaim' | 'withdrawClaim'>>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds' },
});

/** Calls to Temporal itself for the credit gate. */
export const gate = proxyActivities<Pick<DarkroomActivities, 'enterCreditGate' | 'leaveCreditGate'>>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds' },
});

interface SubmitOptions {
  policy: Policy;
  taskQueue: string;
  workspace: string;
  summary: string;
}

/**
 * The one call that costs money. It goes to a task queue of its own, with the workspace as fairness key, so
 * that Temporal paces a whole fleet's submits. Temporal never retries a submit whose outcome is unknown: a
 * worker that died (heartbeat) or hung (start-to-close) may have bought a task.
 */
export function submitActivity(
  options: SubmitOptions,
): Pick<DarkroomActivities, 'submitTask' | 'submitFromTemplate'> {
  const { retry, ...rest } = onSubmitQueue(options);
  return proxyActivities<Pick<DarkroomActivities, 'submitTask' | 'submitFromTemplate'>>({
    ...rest,
    retry: {
      ...retry,
      nonRetryableErrorTypes: ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat'],
    },
  });
}

/** The same for what costs nothing: whatever becomes of a worker over it, the next one may try. */
export function adoptActivity(options: SubmitOptions): Pick<DarkroomActivities, 'adoptTask'> {
  return proxyActivities<Pick<DarkroomActivities, 'adoptTask'>>(onSubmitQueue(options));
}

function onSubmitQueue({ policy, taskQueue, workspace, summary: words }: SubmitOptions) {
  return {
    taskQueue: submitQueue(taskQueue),
    startToCloseTimeout: policy.submit.timeout + 60_000,
    heartbeatTimeout: policy.submit.heartbeat,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
    priority: { fairnessKey: fairnessKey(workspace), fairnessWeight: UNSLOWED_WEIGHT },
    summary: words,
  } as const;
}

/**
 * A look that may take long: large files are stored on the way. Not retried here: the workflow tries again, and shows
 * what holds it up; a worker that is lost over it must not take the next ones along without anybody's notice.
 */
export function lookActivity(summary: string): Pick<DarkroomActivities, 'lookAtTask'> {
  return proxyActivities<Pick<DarkroomActivities, 'lookAtTask'>>({
    startToCloseTimeout: '2 hours',
    heartbeatTimeout: '30 seconds',
    retry: { maximumAttempts: 1 },
    summary,
  });
}

/** Stores what was bought, for runs of release 0.1. */
export function storeActivity(summary: string): Pick<DarkroomActivities, 'storeOutputs'> {
  return proxyActivities<Pick<DarkroomActivities, 'storeOutputs'>>({
    startToCloseTimeout: '2 hours',
    heartbeatTimeout: '30 seconds',
    retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute', maximumAttempts: 40 },
    summary,
  });
}

/** A timer's or activity's one line in the UI: at most 200 bytes. */
export function summary(text: string): string {
  return text.length <= 150 ? text : `${text.slice(0, 149)}…`;
}

export { formatDuration };
