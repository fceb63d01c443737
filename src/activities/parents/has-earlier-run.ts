import type { Client } from '@temporalio/client';
import { runsOf } from '../../temporal/visibility-query.ts';

/** Whether the server has another run of a workflow id: this one was started anew, and what that one has bought may be deleted. */
export async function hasEarlierRun(client: Client, workflowId: string, runId: string): Promise<boolean> {
  for await (const run of client.workflow.list({ query: runsOf(workflowId), pageSize: 2 }))
    if (run.workflowId === workflowId && run.runId !== runId) return true;
  return false;
}
