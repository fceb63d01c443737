import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { differences } from '../../contract/same-purchase.ts';
import { fairnessKey } from '../../contract/submit-queue.ts';
import { TAGS_MEMO } from '../../contract/tags.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { type LatestRun, readLatestRun } from '../../temporal/latest-run.ts';
import { KeyInUseError } from '../failures/key-in-use-error.ts';
import type { StartedRun } from '../run-handle.ts';
import { describeStart } from './describe-start.ts';
import type { StartRequest } from './start-request.ts';

/**
 * Starts the workflow, or attaches to the one that has its id, running or closed: the id is the idempotency key
 * that the API lacks.
 *
 * @throws KeyInUseError when that one was started with another request
 */
export async function startOrAttach(client: Client, start: StartRequest): Promise<StartedRun> {
  const { kind, workflowId, request } = start;
  try {
    const handle = await client.workflow.start(kind, {
      ...startOptions(start),
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
    });
    return { runId: handle.firstExecutionRunId, taskQueue: start.taskQueue, attached: false };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const earlier = await readLatestRun<unknown>(client, workflowId);
    if (earlier === undefined) throw error; // its retention ended just now
    const unlike = earlier.type === kind ? differences(kind, request, earlier.request) : ['workflow type'];
    if (unlike.length > 0) throw new KeyInUseError(workflowId, unlike);
    return { runId: earlier.runId, taskQueue: earlier.taskQueue, attached: true };
  }
}

/** What a pipeline notes on the generations that it starts. */
const KEPT_MEMOS = ['step', 'origins'];

/**
 * Starts a generation under an id whose run has closed. The new run is told of that one and adopts what it bought:
 * nothing is paid twice.
 */
export async function startAgain(
  client: Client,
  start: StartRequest & { kind: 'generation' },
  { runId, memo }: Pick<LatestRun<unknown>, 'runId' | 'memo'>,
): Promise<void> {
  const options = startOptions({ ...start, request: { ...start.request, earlierRun: runId } });
  // Of a step's generation: its pipeline knows it by these, and is told by it.
  const kept = Object.fromEntries(KEPT_MEMOS.flatMap((name) => (name in memo ? [[name, memo[name]]] : [])));
  await client.workflow.start('generation', {
    ...options,
    memo: { ...kept, ...options.memo },
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
}

function startOptions(start: StartRequest): WorkflowStartOptions {
  const { workflowId, taskQueue, request, priority } = start;
  return {
    workflowId,
    taskQueue,
    args: [request],
    ...describeStart(start),
    ...(request.tags === undefined ? {} : { memo: { [TAGS_MEMO]: request.tags } }),
    priority: {
      fairnessKey: fairnessKey(request.workspace ?? DEFAULT_WORKSPACE),
      ...(priority === undefined ? {} : { priorityKey: priority }),
    },
  };
}
