import { log } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { runsOf } from '../../temporal/visibility-query.ts';

/**
 * Whether the server has another run of a workflow id: this one was started anew, and what that one has bought may be
 * deleted.
 *
 * @returns undefined where visibility cannot tell: the children that are there tell
 */
export async function hasEarlierRun(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<boolean | undefined> {
  try {
    for await (const run of client.workflow.list({ query: runsOf(workflowId), pageSize: 2 }))
      if (run.workflowId === workflowId && run.runId !== runId) return true;
    return false;
  } catch (error) {
    log.warn(`cannot tell whether ${workflowId} was started before: ${String(error)}`);
    return undefined;
  }
}
