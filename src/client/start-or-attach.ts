import { isDeepStrictEqual } from 'node:util';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { isRecord } from '../api/is-record.ts';
import { fairnessKey } from '../contract/submit-queue.ts';
import { DEFAULT_WORKSPACE } from '../contract/workflow-ids.ts';
import { readLatestRun } from '../temporal/latest-run.ts';
import { describeStart } from './describe-start.ts';
import { KeyInUseError } from './key-in-use-error.ts';
import type { StartedRun } from './run-handle.ts';
import type { StartRequest } from './start-request.ts';
import type { WorkflowKind } from './workflow-id.ts';

/** What makes two requests the same purchase; policy and budget may differ. */
const IDENTITY: Record<WorkflowKind, readonly string[]> = {
  generation: ['model', 'input', 'workspace'],
  pipeline: ['steps', 'params', 'workspace'],
};

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
    return { runId: handle.firstExecutionRunId, attached: false };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const earlier = await readLatestRun<unknown>(client, workflowId);
    if (earlier === undefined) throw error; // its retention ended just now
    const difference = earlier.type === kind ? findDifference(kind, request, earlier.request) : 'workflow';
    if (difference !== undefined) throw new KeyInUseError(workflowId, difference);
    return { runId: earlier.runId, attached: true };
  }
}

/**
 * Starts a generation under an id whose run has closed. The new run is told of that one and adopts what it bought:
 * nothing is paid twice.
 */
export async function startAgain(
  client: Client,
  start: StartRequest & { kind: 'generation' },
  earlierRun: string,
): Promise<void> {
  await client.workflow.start('generation', {
    ...startOptions({ ...start, request: { ...start.request, earlierRun } }),
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
    priority: {
      fairnessKey: fairnessKey(request.workspace ?? DEFAULT_WORKSPACE),
      ...(priority === undefined ? {} : { priorityKey: priority }),
    },
  };
}

function findDifference(kind: WorkflowKind, request: object, earlier: unknown): string | undefined {
  const sent: unknown = JSON.parse(JSON.stringify(request)); // as the earlier one went through the converter
  return IDENTITY[kind].find((field) => !isDeepStrictEqual(valueOf(sent, field), valueOf(earlier, field)));
}

function valueOf(request: unknown, field: string): unknown {
  const value = isRecord(request) ? request[field] : undefined;
  return field === 'workspace' ? (value ?? DEFAULT_WORKSPACE) : value;
}
