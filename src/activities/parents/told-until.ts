import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { stepFailure } from '../../contract/steps/step-failure.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { runsOf } from '../../temporal/visibility-query.ts';

/** Runs that are looked at; of those that are listed, the latest ones. */
const MAX_RUNS = 100;

/**
 * When the last earlier run of a batch or a pipeline ended that has told what it was charged: what was bought until then
 * stands in its result, or in the failure of a pipeline. One that was cancelled, terminated or Reset while it ran has told
 * nothing.
 *
 * @returns milliseconds since the epoch; null where none has
 */
export async function toldUntil(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<number | null> {
  const query = `ExecutionStatus IN ('Running', 'Completed', 'Failed') AND ${runsOf(workflowId)}`;
  const ended: { runId: string; closedAt: number }[] = [];
  let listed = 0;
  for await (const run of client.workflow.list({ query, pageSize: MAX_RUNS })) {
    listed += 1;
    if (listed > MAX_RUNS) break;
    if (run.workflowId !== workflowId || run.runId === runId) continue;
    // The list may not know yet that it has ended.
    const { closeTime } =
      run.closeTime === undefined ? ((await describeRun(client, workflowId, run.runId)) ?? run) : run;
    if (closeTime !== undefined) ended.push({ runId: run.runId, closedAt: closeTime.getTime() });
  }
  for (const { runId: earlier, closedAt } of ended.toSorted((one, other) => other.closedAt - one.closedAt))
    if (await hasTold(client, workflowId, earlier)) return closedAt;
  return null;
}

/** @throws where it cannot be read: that is no sign that it has told nothing */
async function hasTold(client: Client, workflowId: string, runId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId, runId, { followRuns: false }).result();
    return true;
  } catch (error) {
    if (error instanceof WorkflowFailedError) return stepFailure(error.cause).type === 'PIPELINE_FAILED';
    // The server has deleted it since it was listed.
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
