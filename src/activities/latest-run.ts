import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { readRequest } from './run-history.ts';

export interface LatestRun<Request> {
  runId: string;
  status: string;
  isClosed: boolean;
  request: Request;
}

/** The status of the latest run of a workflow id, and the argument it was started with; undefined: no such id. */
export async function readLatestRun<Request>(
  client: Client,
  workflowId: string,
): Promise<LatestRun<Request> | undefined> {
  try {
    const { runId, status, closeTime } = await client.workflow.getHandle(workflowId).describe();
    const request = await readRequest<Request>(client, workflowId, runId);
    if (request === undefined) return undefined;
    return { runId, status: status.name, isClosed: closeTime !== undefined, request };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
