import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { grpcStatus } from './grpc-status.ts';
import type { RunIds } from './reset-run.ts';

const { BatchOperationState, ResetReapplyExcludeType } = proto.temporal.api.enums.v1;

/** Runs that one job of Temporal's takes. */
const A_JOB = 1_000;
/** Between two looks at a job, or at whether another one has ended (milliseconds). */
const PAUSE = 1_000;
/** Another job of the namespace is under way: the server runs one at a time. */
const BUSY: ReadonlySet<status | undefined> = new Set([
  status.RESOURCE_EXHAUSTED,
  status.FAILED_PRECONDITION,
]);

export interface ResetCounts {
  reset: number;
  /** Runs that the server could not reset: deleted, or without any workflow task. */
  failed: number;
}

/**
 * Resets runs to their beginning by Temporal's own batch operation, page by page: a page goes on in the server whatever
 * becomes of this process. A cancellation is not repeated, as by `resetRun`.
 *
 * @param receipt the id of the jobs and the reason in each new run's history
 * @param onProgress told of the counts so far
 */
export async function resetRuns(
  client: Client,
  runs: readonly RunIds[],
  receipt: string,
  onProgress: (counts: ResetCounts) => void = () => undefined,
): Promise<ResetCounts> {
  const counts = { reset: 0, failed: 0 };
  for (let from = 0; from < runs.length; from += A_JOB) {
    const jobId = `${receipt}-${from / A_JOB + 1}`;
    await startJob(client, jobId, receipt, runs.slice(from, from + A_JOB));
    const job = await jobEnd(client, jobId);
    counts.reset += job.reset;
    counts.failed += job.failed;
    onProgress(counts);
  }
  return counts;
}

async function startJob(
  client: Client,
  jobId: string,
  reason: string,
  runs: readonly RunIds[],
): Promise<void> {
  for (;;) {
    try {
      await client.workflowService.startBatchOperation({
        namespace: client.options.namespace,
        jobId,
        reason,
        executions: runs.map(({ workflowId, runId }) => ({ workflowId, runId })),
        resetOperation: {
          identity: client.options.identity,
          options: {
            firstWorkflowTask: {},
            resetReapplyExcludeTypes: [ResetReapplyExcludeType.RESET_REAPPLY_EXCLUDE_TYPE_CANCEL_REQUEST],
          },
        },
      });
      return;
    } catch (error) {
      if (!BUSY.has(grpcStatus(error).code)) throw error;
      await delay(PAUSE);
    }
  }
}

async function jobEnd(client: Client, jobId: string): Promise<ResetCounts> {
  for (;;) {
    const { state, completeOperationCount, failureOperationCount } =
      await client.workflowService.describeBatchOperation({ namespace: client.options.namespace, jobId });
    if (state !== BatchOperationState.BATCH_OPERATION_STATE_RUNNING)
      return { reset: Number(completeOperationCount ?? 0), failed: Number(failureOperationCount ?? 0) };
    await delay(PAUSE);
  }
}
