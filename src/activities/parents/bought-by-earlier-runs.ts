import { ApplicationFailure, type Client, WorkflowFailedError } from '@temporalio/client';
import { isRecord } from '../../api/json/is-record.ts';
import { hasBoughtNothing } from '../../contract/purchases/bought-nothing.ts';
import { runsOf } from '../../temporal/visibility-query.ts';

/** Runs whose ends are looked at. */
const MOST = 10;

/** What there is of earlier runs of an id: none that has begun; all have told that they have bought nothing; or one may have. */
export type Earlier = 'none' | 'bought nothing' | 'may have bought';

/**
 * Whether the server has another run of a workflow id, and what that has bought: this one was started anew, and what that
 * one has bought may be deleted. A pipeline that was refused before it began counts as none.
 */
export async function boughtByEarlierRuns(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<Earlier> {
  let earlier: Earlier = 'none';
  let looked = 0;
  for await (const run of client.workflow.list({ query: runsOf(workflowId), pageSize: MOST })) {
    if (run.workflowId !== workflowId || run.runId === runId) continue;
    if (run.type !== 'pipeline' || run.status.name !== 'FAILED' || looked === MOST) return 'may have bought';
    const bought = await boughtBy(client, workflowId, run.runId);
    if (bought === 'may have bought') return bought;
    if (bought === 'bought nothing') earlier = bought;
    looked += 1;
  }
  return earlier;
}

/** Of a failed pipeline; one that its check refused tells of no steps. */
async function boughtBy(client: Client, workflowId: string, runId: string): Promise<Earlier> {
  const result = client.workflow.getHandle(workflowId, runId, { followRuns: false }).result();
  const error: unknown = await result.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof ApplicationFailure))
    return 'may have bought';
  const { type, details } = error.cause;
  const told: unknown = details?.[0];
  if (type === 'INVALID_REQUEST' && isRecord(told) && told['steps'] === undefined) return 'none';
  return hasBoughtNothing(told) ? 'bought nothing' : 'may have bought';
}
