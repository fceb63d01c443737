import type { Client } from '@temporalio/client';
import { describeRun } from './describe-run.ts';
import { readRequest } from './history.ts';

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
  const latest = await describeRun(client, workflowId);
  if (latest === undefined) return undefined;
  const { runId, status, closeTime } = latest;
  const request = await readRequest<Request>(client, workflowId, runId);
  if (request === undefined) return undefined;
  return { runId, status: status.name, isClosed: closeTime !== undefined, request };
}
