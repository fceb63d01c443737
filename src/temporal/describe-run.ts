import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';

/**
 * A workflow's latest run, or the one that is named; undefined: the server has none, or no longer.
 *
 * @throws the client's error while Temporal cannot be reached: that tells nothing of the workflow
 */
export async function describeRun(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.workflow.getHandle(workflowId, runId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
