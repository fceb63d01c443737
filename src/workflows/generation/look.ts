import { TimeoutType } from '@temporalio/common';
import { TimeoutFailure } from '@temporalio/workflow';
import { GET_TIMEOUT } from '../../contract/limits.ts';
import { paidBy } from '../../contract/purchases/payers.ts';
import { cutLabel } from '../../contract/summary.ts';
import { AT_FILES, type LookRequest, type TaskEnd, type TaskLook } from '../../contract/tasks/task-look.ts';
import { local, longLooks, whyFailed } from './activities.ts';
import { foreignTasks } from './attempts.ts';
import { newsOf, type Run, type State, valueOf, withNews } from './state.ts';

/** Milliseconds for the GET and for the files. A local activity ends within its try, the wait for its place included. */
const TIMES = {
  soon: { timeout: 2_500, storeWithin: 2_000 },
  record: { timeout: GET_TIMEOUT, storeWithin: 0 },
  files: { timeout: GET_TIMEOUT },
};

/**
 * What a look at a task told; `lost`: the worker that looked was lost on the way, `atFiles`: at the files, and not with a
 * look that it had only just been given, or never got to see.
 */
export type Look = TaskLook | { kind: 'lost'; reason: string; atFiles: boolean; rerun?: never };

/**
 * Looks at a task: one GET, and the files of a completed one. Where the last look has shown that it takes longer, an
 * ordinary activity looks; it has a slot of its own. Files that may take long, or end the worker, are only touched by
 * looks of the kind `files`: who asks for one counts the workers that it has cost.
 *
 * @returns the same run, with all that was heard until then, and what the look told
 */
export async function lookAt(
  run: Run,
  before: State,
  taskId: string,
  what: keyof typeof TIMES,
  end?: TaskEnd,
): Promise<{ state: State; found: Look }> {
  const { workspace, firstRunId, request } = run;
  const { plan, heard } = run.now();
  const { artifacts, looks: looked } = heard;
  const task = { taskId, workspace, model: request.model, firstRunId, artifacts: valueOf(artifacts, taskId) };
  // Of a task that others have bought nobody here pays.
  const payers = plan === undefined || foreignTasks(run.now()).has(taskId) ? undefined : paidBy(plan);
  const told = newsOf(heard, taskId) > 0 || undefined;
  const about: LookRequest = { ...task, paidBy: payers, facts: plan?.facts, told, end, ...TIMES[what] };
  const asked =
    what === 'soon'
      ? local.lookAtTask(about)
      : longLooks.lookAtTask.executeWithOptions({ summary: cutLabel(`look at ${taskId}`) }, [about]);
  const found = await asked.catch((error: unknown): Look => {
    return { kind: 'lost', reason: whyFailed(error), atFiles: wasAtFiles(error) };
  });
  return { state: { ...withNews(run, before), looked, isRerun: found.rerun ?? before.isRerun }, found };
}

/** The last heartbeat tells. An activity that a worker gives up when it is stopped has not ended it. */
function wasAtFiles(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const isTimeout = cause instanceof TimeoutFailure && cause.timeoutType === TimeoutType.HEARTBEAT;
  return isTimeout ? cause.lastHeartbeatDetails === AT_FILES : wasAtFiles(cause.cause);
}
