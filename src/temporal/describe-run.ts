import { status } from '@grpc/grpc-js';
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { grpcStatus } from './grpc-status.ts';

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
    // What the server takes for no id at all, no run has.
    if (error instanceof WorkflowNotFoundError || grpcStatus(error).code === status.INVALID_ARGUMENT)
      return undefined;
    throw error;
  }
}
