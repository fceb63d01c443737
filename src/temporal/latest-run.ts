import type { Client } from '@temporalio/client';
import { DarkroomState, DarkroomTaskId } from '../contract/search-attributes.ts';
import { describeRun } from './describe-run.ts';
import { readStart, requestOf } from './history.ts';

/** The latest run of a workflow id, and how it was started. */
export interface LatestRun<Request> {
  runId: string;
  /** The workflow's type; the shape of `request` goes by it. */
  type: string;
  taskQueue: string;
  /** Temporal's word: RUNNING, COMPLETED, FAILED, … */
  status: string;
  isClosed: boolean;
  /** Milliseconds since the epoch; undefined while it runs. */
  closedAt: number | undefined;
  /** Whether it was started as it is: it goes on from no other run, as after a Reset. */
  isFirst: boolean;
  /** Milliseconds since the epoch. */
  startedAt: number;
  memo: Readonly<Record<string, unknown>>;
  /** The value of its `DarkroomState`. */
  state: string | undefined;
  /** The task that a generation holds, or held last. */
  taskId: string | undefined;
  /** The workflow's one argument, as it was sent; undefined where it was started without. */
  request: Request | undefined;
}

/**
 * The latest run of a workflow id; undefined: the server has none, or no longer.
 *
 * @throws the client's error while Temporal cannot be reached: that tells nothing of the workflow
 */
export async function readLatestRun<Request>(
  client: Client,
  workflowId: string,
): Promise<LatestRun<Request> | undefined> {
  const latest = await describeRun(client, workflowId);
  if (latest === undefined) return undefined;
  const {
    runId,
    type,
    taskQueue,
    status,
    startTime,
    closeTime,
    memo = {},
    typedSearchAttributes,
    raw,
  } = latest;
  const start = await readStart(client, workflowId, runId);
  if (start === undefined) return undefined; // deleted since
  return {
    runId,
    type,
    taskQueue,
    status: status.name,
    isClosed: closeTime !== undefined,
    closedAt: closeTime?.getTime(),
    isFirst: raw.workflowExecutionInfo?.firstRunId === runId,
    startedAt: startTime.getTime(),
    memo,
    state: typedSearchAttributes.get(DarkroomState),
    taskId: typedSearchAttributes.get(DarkroomTaskId),
    request: requestOf<Request>(start),
  };
}
