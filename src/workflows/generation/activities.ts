import {
  ActivityCancellationType,
  ActivityFailure,
  isCancellation,
  log,
  proxyActivities,
  proxyLocalActivities,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { TakenName } from '../../contract/entities/task-notices.ts';
import { cutLabel } from '../../contract/summary.ts';
import { fairnessKey, submitQueue, UNSLOWED_WEIGHT } from '../../contract/tasks/submit-queue.ts';
import type { SubmitTaskInput, SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Run } from './state.ts';

/**
 * Short, idempotent calls, where one short try is enough (`local-tries.ts`). What the network or the API does is in their
 * results; who calls them takes a failure for one more of these, and has a deadline.
 */
export const local = proxyLocalActivities<
  Pick<DarkroomActivities, 'checkGeneration' | 'earlierTask' | 'judgeTask' | 'lookAtTask' | 'takeTaskNames'>
>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds', maximumAttempts: 3 },
});

/** The same for what is only told: a run that is over is not kept by it. */
export const accounts = proxyLocalActivities<Pick<DarkroomActivities, 'accountedTasks'>>({
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '10 minutes',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds' },
});

/** A request to an entity ends, whatever has become of it: the run goes on without, and comes back. */
const TO_AN_ENTITY = {
  startToCloseTimeout: '20 seconds',
  scheduleToCloseTimeout: '1 minute',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds', maximumAttempts: 6 },
} as const;

/** A claim must not wait for a place behind downloads: until it is in, nobody keeps the task's evidence for it. */
export const claiming = proxyLocalActivities<Pick<DarkroomActivities, 'requestClaim'>>(TO_AN_ENTITY);

export const entities =
  proxyActivities<Pick<DarkroomActivities, 'withdrawClaim' | 'enterCreditGate' | 'leaveCreditGate'>>(
    TO_AN_ENTITY,
  );

/**
 * The one call that costs money. It goes to a task queue of its own, with the workspace as fairness key, so
 * that Temporal paces a whole fleet's submits. Temporal never retries a submit whose outcome is unknown: a
 * worker that died (heartbeat) or hung (start-to-close) may have bought a task. Where nothing may be bought, the
 * next worker may try, whatever becomes of one over it.
 */
export function callSubmit(
  { request: { adoptOnly }, workspace }: Run,
  { timeout, heartbeat }: Policy['submit'],
  words: string,
  input: SubmitTaskInput,
): Promise<SubmitTaskResult> {
  const isToBuy = adoptOnly === undefined;
  const { submitTask, adoptTask } = proxyActivities<Pick<DarkroomActivities, 'submitTask' | 'adoptTask'>>({
    taskQueue: submitQueue(workflowInfo().taskQueue),
    startToCloseTimeout: timeout + 60_000,
    heartbeatTimeout: heartbeat,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: '1 second',
      maximumInterval: '1 minute',
      nonRetryableErrorTypes: isToBuy ? ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat'] : [],
    },
    priority: { fairnessKey: fairnessKey(workspace), fairnessWeight: UNSLOWED_WEIGHT },
    summary: cutLabel(words),
  });
  return isToBuy ? submitTask(input) : adoptTask(input);
}

/**
 * Looks that may take long: large files are stored on the way. Not retried here: the workflow tries again, and shows
 * what holds it up; a worker that is lost over one must not take the next ones along without anybody's notice.
 */
export const longLooks = proxyActivities<Pick<DarkroomActivities, 'lookAtTask'>>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '30 seconds',
  retry: { maximumAttempts: 1 },
});

/** Why an activity has failed, where it is no cancellation; that is thrown again. Of a local one it comes unwrapped. */
export function whyFailed(error: unknown): string {
  if (!(error instanceof TemporalFailure) || isCancellation(error)) throw error;
  return (error instanceof ActivityFailure ? error.cause : error)?.message ?? error.message;
}

/** What an activity tells, or what `otherwise` makes of why it has failed. A cancellation is thrown again. */
export function orElse<T>(asked: Promise<T>, otherwise: (why: string) => T): Promise<T> {
  return asked.catch((error: unknown) => otherwise(whyFailed(error)));
}

/** Takes a task's name for the run, before the run takes a task by anything but the answer to its submit. */
export async function takeName({ workflowId, runId, firstRunId }: Run, taskId: string): Promise<TakenName> {
  const unreadable = (reason: string): TakenName => ({ taskId, kind: 'unreadable', reason });
  const asked = local.takeTaskNames([{ taskId, workflowId, runId, firstRunId }]);
  const [name = unreadable('nothing was told of its name')] = await orElse(asked, (why) => [unreadable(why)]);
  return name;
}

/** The same of an entity, which a run can go on without: it may be broken, or its id be another workflow's. */
export function askEntity<T>(asked: Promise<T>, otherwise: (why: string) => T): Promise<T> {
  return orElse(asked, (why) => {
    log.warn(`an entity does not answer: ${why}`);
    return otherwise(why);
  });
}
