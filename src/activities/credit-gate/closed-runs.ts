import { status } from '@grpc/grpc-js';
import type { Client } from '@temporalio/client';
import type { RunToLookFor } from '../../contract/activities.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { grpcStatus } from '../../temporal/grpc-status.ts';

/**
 * Which of the runs have closed, by their places; a few at a time. One that the server does not have is over, too, unless it
 * may still be started.
 */
export async function closedRuns(client: Client, runs: readonly RunToLookFor[]): Promise<number[]> {
  const closed = await Promise.all(
    runs.map(async ({ workflowId, runId, startedBy = 0 }, index) => {
      const run = await describeRun(client, workflowId, runId ?? undefined).catch((error: unknown) => {
        // What the server takes for no id at all, no run has; and it keeps nobody from hearing of the others.
        if (grpcStatus(error).code === status.INVALID_ARGUMENT) return undefined;
        throw error;
      });
      const isOver = run === undefined ? Date.now() >= startedBy : run.closeTime !== undefined;
      return isOver ? index : [];
    }),
  );
  return closed.flat();
}
