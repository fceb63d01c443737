import type { Client } from '@temporalio/client';
import { describeRun } from '../../temporal/describe-run.ts';
import { readHistory, resetFrom } from '../../temporal/history.ts';
import { runsOf } from '../../temporal/visibility-query.ts';

/** Runs that are looked at; of those that are listed, the latest ones. */
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
  const told: number[] = [];
  const seen = new Set([runId]);
  // The run that this one was Reset from may have ended just now: a list may not know it yet.
  for (let at: string | undefined = runId; at !== undefined && seen.size <= MAX_RUNS; ) {
    at = resetFrom((await readHistory(client, workflowId, at)) ?? []);
    if (at === undefined || seen.has(at)) break;
    seen.add(at);
    const base = await describeRun(client, workflowId, at);
    if (base?.status.name === 'COMPLETED') told.push(base.closeTime?.getTime() ?? 0);
  }
  const query = `ExecutionStatus = 'Completed' AND ${runsOf(workflowId)}`;
  let listed = 0;
  for await (const run of client.workflow.list({ query, pageSize: MAX_RUNS })) {
    listed += 1;
    if (listed > MAX_RUNS) break;
    if (run.workflowId === workflowId && !seen.has(run.runId)) told.push(run.closeTime?.getTime() ?? 0);
  }
  return told.length === 0 ? null : Math.max(...told);
}
