import type { Client } from '@temporalio/client';
import type { RunToLookFor } from '../../contract/activities.ts';
import { describeRun } from '../../temporal/describe-run.ts';

/** Which of the runs have closed, by their places; a few at a time. One that the server does not have is over, too. */
export async function closedRuns(client: Client, runs: readonly RunToLookFor[]): Promise<number[]> {
  const closed = await Promise.all(
    runs.map(async ({ workflowId, runId }, index) => {
      const run = await describeRun(client, workflowId, runId ?? undefined);
      return run === undefined || run.closeTime !== undefined ? index : [];
    }),
  );
  return closed.flat();
}
