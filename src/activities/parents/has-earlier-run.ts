import { ApplicationFailure, type Client, WorkflowFailedError } from '@temporalio/client';
import { isRecord } from '../../api/json/is-record.ts';
import { runsOf } from '../../temporal/visibility-query.ts';

/** Runs whose ends are looked at. */
const MOST = 10;

/**
 * Whether the server has another run of a workflow id that may have bought something: this one was started anew, and what
 * that one has bought may be deleted. A pipeline that was refused before it began has bought nothing.
 */
export async function hasEarlierRun(client: Client, workflowId: string, runId: string): Promise<boolean> {
  let refused = 0;
  for await (const run of client.workflow.list({ query: runsOf(workflowId), pageSize: MOST })) {
    if (run.workflowId !== workflowId || run.runId === runId) continue;
    if (run.type !== 'pipeline' || run.status.name !== 'FAILED' || refused === MOST) return true;
    if (!(await wasRefused(client, workflowId, run.runId))) return true;
    refused += 1;
  }
  return false;
}

/** Whether a pipeline was refused by its check: it tells of no steps. */
async function wasRefused(client: Client, workflowId: string, runId: string): Promise<boolean> {
  const result = client.workflow.getHandle(workflowId, runId, { followRuns: false }).result();
  const error: unknown = await result.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof ApplicationFailure)) return false;
  const { type, details } = error.cause;
  return type === 'INVALID_REQUEST' && isRecord(details?.[0]) && details[0]['steps'] === undefined;
}
