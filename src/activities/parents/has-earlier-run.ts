import { ApplicationFailure, type Client, WorkflowFailedError } from '@temporalio/client';
import { hasBoughtNothing } from '../../contract/purchases/bought-nothing.ts';
import { runsOf } from '../../temporal/visibility-query.ts';

/**
 * Whether the server has another run of a workflow id that may have bought something: this one was started anew, and what
 * that one has bought may be deleted.
 */
export async function hasEarlierRun(client: Client, workflowId: string, runId: string): Promise<boolean> {
  for await (const run of client.workflow.list({ query: runsOf(workflowId), pageSize: 10 })) {
    if (run.workflowId !== workflowId || run.runId === runId) continue;
    if (run.status.name !== 'FAILED' || !(await hasToldNothing(client, workflowId, run.runId))) return true;
  }
  return false;
}

/** Whether a failed run tells that it has bought nothing. */
async function hasToldNothing(client: Client, workflowId: string, runId: string): Promise<boolean> {
  const result = client.workflow.getHandle(workflowId, runId, { followRuns: false }).result();
  const error: unknown = await result.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof ApplicationFailure)) return false;
  return hasBoughtNothing(error.cause.details?.[0]);
}
