import type { Client } from '@temporalio/client';

/** What the latest run of a workflow id was started as. */
export interface StartedWith {
  runId: string;
  workflowType: string;
  /** The workflow's one argument, as it was sent. */
  request: unknown;
}

/**
 * Reads the start of a workflow's latest run (or of the run that is named) from its first event.
 *
 * @throws WorkflowNotFoundError when there is none
 */
export async function startedWith(client: Client, workflowId: string, runId?: string): Promise<StartedWith> {
  const described = await client.workflow.getHandle(workflowId, runId).describe();
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId: described.runId },
    maximumPageSize: 1,
  });
  const input = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
  const { payloadConverter } = client.options.loadedDataConverter;
  const request: unknown = input?.[0] ? payloadConverter.fromPayload(input[0]) : undefined;
  return { runId: described.runId, workflowType: described.type, request };
}
