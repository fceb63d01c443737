import type { Client } from '@temporalio/client';
import { runsOf } from '../../temporal/visibility-query.ts';

/** The latest runs are asked for first. */
const MAX_RUNS = 100;

/**
 * When the last earlier run of a batch completed: what its rows were charged until then, it has told in its result. One
 * that was cancelled, terminated or Reset while it ran has told nothing.
 *
 * @returns milliseconds since the epoch; null where none has
 */
export async function accountedRows(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<number | null> {
  const query = `ExecutionStatus = 'Completed' AND ${runsOf(workflowId)}`;
  let told: number | null = null;
  let looked = 0;
  for await (const run of client.workflow.list({ query, pageSize: MAX_RUNS })) {
    looked += 1;
    if (looked > MAX_RUNS) break;
    const { closeTime } = run;
    if (run.workflowId !== workflowId || run.runId === runId || closeTime === undefined) continue;
    told = Math.max(told ?? -Infinity, closeTime.getTime());
  }
  return told;
}
