import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { AFTER_ANOTHER_MEMO, ROW_MEMO } from '../../contract/batch.ts';
import { REQUEST_MEMO, requestDigest } from '../../contract/purchases/request-digest.ts';
import { differences } from '../../contract/purchases/same-purchase.ts';
import { STEP_MEMO } from '../../contract/steps/step-ids.ts';
import { TAGS_MEMO } from '../../contract/tags.ts';
import { fairnessKey } from '../../contract/tasks/submit-queue.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { readRequest } from '../../temporal/history.ts';
import { type LatestRun, readLatestRun } from '../../temporal/latest-run.ts';
import { KeyInUseError } from '../failures/key-in-use-error.ts';
import type { StartedRun } from '../run-handle.ts';
import { describeStart } from './describe-start.ts';
import { isSpent } from './spent-key.ts';
import type { StartRequest } from './start-request.ts';

/**
 * Starts the workflow, or attaches to the one that has its id, running or closed: the id is the idempotency key
 * that the API lacks. One that failed before anything was bought has not spent it, and is started anew.
 *
 * @throws KeyInUseError when that one was started with another request
 */
export async function startOrAttach(client: Client, start: StartRequest): Promise<StartedRun> {
  return await startUnlessThere(client, start, undefined);
}

/** @param refused the run that has not spent the id: the next one is started in its place, once */
async function startUnlessThere(
  client: Client,
  start: StartRequest,
  refused: string | undefined,
): Promise<StartedRun> {
  const { kind, workflowId, request } = start;
  try {
    const handle = await client.workflow.start(kind, {
      ...startOptions(start),
      workflowIdReusePolicy: refused === undefined ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY',
      workflowIdConflictPolicy: 'FAIL',
      ...(refused === undefined ? {} : { [REQUEST]: { requestId: refused } }),
    });
    const runId = handle.firstExecutionRunId;
    if (refused !== undefined) {
      // It may be the run that another caller has started in the same place, with a request of his own.
      const unlike = differences(kind, request, await readRequest(client, workflowId, runId));
      if (unlike.length > 0) throw new KeyInUseError(workflowId, unlike);
    }
    return { runId, taskQueue: start.taskQueue, attached: false };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const earlier = await readLatestRun<unknown>(client, workflowId);
    if (earlier === undefined) throw error; // its retention ended just now
    // Where somebody was quicker to start it anew, that run is attached to.
    if (refused === undefined && earlier.type === kind && !(await isSpent(client, workflowId, earlier)))
      return await startUnlessThere(client, start, earlier.runId);
    checkSame(start, earlier);
    return { runId: earlier.runId, taskQueue: earlier.taskQueue, attached: true };
  }
}

/** @throws KeyInUseError where the run of the id was started with another request */
export function checkSame(
  { kind, workflowId, request }: StartRequest,
  { type, request: other }: Pick<LatestRun<unknown>, 'type' | 'request'>,
): void {
  const unlike = type === kind ? differences(kind, request, other) : ['workflow type'];
  if (unlike.length > 0) throw new KeyInUseError(workflowId, unlike);
}

/**
 * Where the SDK takes the id of a start's request (its own Nexus support uses it, too). The server starts one run for
 * one of them: a second start with the same is answered with that run, running or closed. So of all who start a run in
 * the place of a refused one, one does.
 */
const REQUEST = Symbol.for('__temporal_internal_client_workflow_start_options');

/** What a pipeline notes on the generations that it starts, and a batch on its rows. */
const KEPT_MEMOS = [STEP_MEMO, 'origins', ROW_MEMO];

/**
 * Starts a run under an id whose run has closed, and adopts what that has bought: nothing is paid twice. A generation is
 * told of it; a pipeline finds its generations by their ids.
 */
export async function startAgain(
  client: Client,
  start: StartRequest,
  { runId, memo }: Pick<LatestRun<unknown>, 'runId' | 'memo'>,
): Promise<void> {
  const options = startOptions(
    start.kind === 'generation' ? { ...start, request: { ...start.request, earlierRun: runId } } : start,
  );
  // Of a step's generation, or a row: its pipeline or batch knows it by these, and is told by it.
  const kept = Object.fromEntries(KEPT_MEMOS.flatMap((name) => (name in memo ? [[name, memo[name]]] : [])));
  await client.workflow.start(start.kind, {
    ...options,
    memo: { ...kept, ...(ROW_MEMO in kept ? { [AFTER_ANOTHER_MEMO]: true } : {}), ...options.memo },
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
}

function startOptions(start: StartRequest): WorkflowStartOptions {
  const { kind, workflowId, taskQueue, request, priority } = start;
  return {
    workflowId,
    taskQueue,
    args: [request],
    ...describeStart(start),
    memo: {
      [REQUEST_MEMO]: requestDigest(kind, request),
      ...(request.tags === undefined ? {} : { [TAGS_MEMO]: request.tags }),
    },
    priority: {
      fairnessKey: fairnessKey(request.workspace ?? DEFAULT_WORKSPACE),
      ...(priority === undefined ? {} : { priorityKey: priority }),
    },
  };
}
