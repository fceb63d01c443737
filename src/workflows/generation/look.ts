import { TimeoutType } from '@temporalio/common';
import { TimeoutFailure } from '@temporalio/workflow';
import { GET_TIMEOUT } from '../../contract/limits.ts';
import { paidBy } from '../../contract/purchases/payers.ts';
import { AT_FILES, type LookRequest, type TaskEnd, type TaskLook } from '../../contract/tasks/task-look.ts';
import { local, lookActivity, summary, whyFailed } from './activities.ts';
import { type Run, valueOf } from './state.ts';

/** A local activity holds a place among the workflow tasks: it gets seconds, for the GET and for the files. */
const SHORT = { timeout: 2_500, storeWithin: 2_500 };
/** An ordinary activity: milliseconds for the GET, and as much time as the files take. */
const LONG = { timeout: GET_TIMEOUT };
/** The same without the files. */
const RECORD = { ...LONG, storeWithin: 0 };

/**
 * What a look at a task told; `lost`: the worker that looked was lost on the way, `atFiles`: while it was at the files.
 * A worker that is killed or frozen takes along looks that it had only just been given, or never got to see: the
 * server may hand a task to a connection whose end is dead.
 */
export type Look = TaskLook | { kind: 'lost'; reason: string; atFiles: boolean; rerun?: never };

/**
 * Looks at a task: one GET, and the files of a completed one. Where the last look has shown that it takes longer, an
 * ordinary activity looks; it has a slot of its own. Files that may take long, or end the worker, are only touched by
 * looks of the kind `files`: who asks for one counts the workers that it has cost.
 */
export async function lookAt(
  run: Run,
  taskId: string,
  what: 'soon' | 'record' | 'files',
  end?: TaskEnd,
): Promise<Look> {
  const payers = paidBy(run.workflowId, run.request);
  const artifacts = valueOf(run.now().heard.artifacts, taskId);
  const request: Omit<LookRequest, 'timeout'> = {
    taskId,
    workspace: run.workspace,
    model: run.request.model,
    firstRunId: run.firstRunId,
    ...(payers.length === 0 ? {} : { paidBy: payers }),
    ...(artifacts === undefined ? {} : { artifacts: [...artifacts] }),
    ...(end === undefined ? {} : { end }),
  };
  try {
    return what === 'soon'
      ? await local.lookAtTask({ ...request, ...SHORT })
      : await lookActivity(summary(`look at ${taskId}`)).lookAtTask({
          ...request,
          ...(what === 'files' ? LONG : RECORD),
        });
  } catch (error) {
    return { kind: 'lost', reason: whyFailed(error), atFiles: wasAtFiles(error) };
  }
}

/** The last heartbeat tells. An activity that a worker gives up when it is stopped has not ended it. */
function wasAtFiles(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const isTimeout = cause instanceof TimeoutFailure && cause.timeoutType === TimeoutType.HEARTBEAT;
  return isTimeout ? cause.lastHeartbeatDetails === AT_FILES : wasAtFiles(cause.cause);
}
