import type { Client } from '@temporalio/client';
import { isRecord } from '../../api/json/is-record.ts';
import { hasBoughtNothing } from '../../contract/purchases/bought-nothing.ts';
import type { LatestRun } from '../../temporal/latest-run.ts';
import { followResult } from '../following/follow-result.ts';

/**
 * Whether a run has spent its key. A purchase spends it, or what may have been one: a run that failed although nothing
 * was bought and nothing is unknown leaves its key free. Only what a run tells of its own attempts counts, so one that
 * goes on from an earlier run keeps its key: that one may have bought something.
 */
export async function isSpent(client: Client, workflowId: string, run: LatestRun<unknown>): Promise<boolean> {
  if (run.status !== 'FAILED' || !run.isFirst) return true;
  if (isRecord(run.request) && run.request['earlierRun'] !== undefined) return true;
  const outcome = await followResult(client, workflowId, run.runId);
  return outcome.ok || !hasBoughtNothing(outcome.failure.details);
}
