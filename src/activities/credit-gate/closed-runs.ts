import { status } from '@grpc/grpc-js';
import type { Client } from '@temporalio/client';
import type { RunToLookFor } from '../../contract/activities.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { grpcStatus } from '../../temporal/grpc-status.ts';

/** A run is started so soon after somebody has begun to look for it, also where a worker stalls (milliseconds). */
const STARTED_WITHIN = 2 * 60_000;

/**
 * Which of the runs have closed, by their places; a few at a time. One that the server does not have is over, too, unless it
 * may still be started; so is one that had closed before it is looked for.
 */
export async function closedRuns(client: Client, runs: readonly RunToLookFor[]): Promise<number[]> {
  const closed = await Promise.all(
    runs.map(async ({ workflowId, runId, since = -Infinity }, index) => {
      const run = await describeRun(client, workflowId, runId ?? undefined).catch((error: unknown) => {
        // What the server takes for no id at all, no run has; and it keeps nobody from hearing of the others.
        if (grpcStatus(error).code === status.INVALID_ARGUMENT) return undefined;
        throw error;
      });
      const closedAt = run?.closeTime?.getTime() ?? Infinity;
      const isStarted = run !== undefined && closedAt >= since;
      const isOver = isStarted ? closedAt < Infinity : Date.now() >= since + STARTED_WITHIN;
      return isOver ? index : [];
    }),
  );
  return closed.flat();
}
