import { Context } from '@temporalio/activity';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { CallbackRequest } from '../../contract/callback.ts';
import { cutSummary } from '../../contract/summary.ts';

/** Starts the workflow `callback` for a run that ends, once. It has a run of its own: the result does not wait for its end. */
export async function startCallback(client: Client, request: CallbackRequest): Promise<void> {
  const { taskQueue, priority } = Context.current().info;
  const { type, workflowId, runId } = request.word;
  try {
    await client.workflow.start('callback', {
      workflowId: `callback/${runId}`,
      taskQueue,
      args: [request],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      staticSummary: cutSummary(`${type}: ${workflowId}`),
      ...(priority === undefined ? {} : { priority }),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
