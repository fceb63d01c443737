import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/**
 * Asks the latest run of a workflow id to end. The server takes that of a run that has ended, too, and does nothing.
 *
 * @throws WorkflowNotFoundError when there is none, or it has ended
 */
export async function cancelRun(client: Client, workflowId: string): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  const { closeTime, runId } = await handle.describe();
  if (closeTime !== undefined)
    throw new WorkflowNotFoundError('workflow execution already completed', workflowId, runId);
  await handle.cancel();
}
