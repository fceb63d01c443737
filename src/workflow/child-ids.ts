import { ApplicationFailure, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { DarkroomActivities } from '../contract/activities.ts';
import { LONGEST_WORKFLOW_ID } from '../contract/limits.ts';
import { DEFAULT_TASK_QUEUE } from '../contract/workflow-ids.ts';
import { LOOKS } from '../workflows/once.ts';

/** How a child is named: `key` alone, or below its parent by `name`, or by its number. */
export interface ChildOptions {
  /**
   * An idempotency key of its own: the workflow id is `generation/<key>` or `pipeline/<key>`, and the same key is the
   * same purchase wherever it is used. Without one, the purchase belongs to this workflow's id.
   */
  key?: string | undefined;
  /**
   * What the child is called below this workflow's id: `generation/<workflow id>/<name>`. Numbered by model and call
   * when absent; code that may change its order of calls names them.
   */
  name?: string | undefined;
  /** Where Darkroom's workers are: this worker's own queue where the plugin has added them to it, else `darkroom`. */
  taskQueue?: string | undefined;
}

/** Of this workflow alone: the SDK gives each its own modules. */
const counts = new Map<string, number>();
let round: string | null | undefined;
let isAdded = false;

/** Called by the entry that the plugin makes: Darkroom's workflows are in this very bundle. */
export function darkroomIsHere(): void {
  isAdded = true;
}

export function taskQueueOf({ taskQueue }: ChildOptions): string {
  return taskQueue ?? (isAdded ? workflowInfo().taskQueue : DEFAULT_TASK_QUEUE);
}

/**
 * The child's workflow id: made of this workflow's id, so that a Reset, or a retry of the workflow, finds what was bought.
 * A run that goes on as new, or by a cron schedule, makes new purchases.
 *
 * @throws ApplicationFailure INVALID_REQUEST when it would be too long for Temporal
 */
export async function childId(
  kind: 'generation' | 'pipeline',
  what: string,
  { key, name, taskQueue }: ChildOptions,
): Promise<string> {
  // Numbered before anything is waited for: in the order of the calls.
  const own = key === undefined ? (name ?? numbered(what)) : '';
  const id = `${kind}/${key ?? `${await ownName(taskQueueOf({ taskQueue }))}/${own}`}`;
  if (id.length <= LONGEST_WORKFLOW_ID) return id;
  throw ApplicationFailure.create({
    type: 'INVALID_REQUEST',
    message: `the workflow id ${id} would have ${id.length} characters; at most ${LONGEST_WORKFLOW_ID} are taken: give it a key`,
    nonRetryable: true,
  });
}

/** `image-l-1`, `image-l-2`, … in the order of the calls, which a replay repeats. */
function numbered(what: string): string {
  const count = (counts.get(what) ?? 0) + 1;
  counts.set(what, count);
  return `${what}-${count}`;
}

async function ownName(taskQueue: string): Promise<string> {
  const { workflowId, continuedFromExecutionRunId, firstExecutionRunId, attempt } = workflowInfo();
  if (continuedFromExecutionRunId === undefined) return workflowId;
  // A retry continues a run, too, but it is the same work: it takes over what its first attempt has bought.
  const isFirstRetry = attempt === 2 && continuedFromExecutionRunId === firstExecutionRunId;
  if (isFirstRetry) return workflowId;
  const continued = attempt === 1 ? continuedFromExecutionRunId : await roundBefore(taskQueue);
  // By its end: the id of a run that was started begins with the time, and with the same eight digits for a minute.
  return continued === null ? workflowId : `${workflowId}@${continued.slice(-8)}`;
}

/**
 * A retry knows the attempt before it alone: which run its first attempt went on for, the server has to tell. Only the
 * answer is kept: whoever asks in a scope that is cancelled fails alone.
 */
async function roundBefore(taskQueue: string): Promise<string | null> {
  const { roundOfAttempt } = proxyActivities<Pick<DarkroomActivities, 'roundOfAttempt'>>({
    ...LOOKS,
    taskQueue,
  });
  if (round === undefined) round = await roundOfAttempt();
  return round;
}
