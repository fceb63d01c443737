import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';

/** The points that a run can be Reset to, oldest first: the ends of its workflow tasks, as event ids. */
export async function resetPoints(client: Client, workflowId: string, runId?: string) {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  return (events ?? []).flatMap(({ eventId, workflowTaskCompletedEventAttributes: completed }) =>
    completed && eventId ? [eventId] : [],
  );
}

/**
 * Resets a workflow's current run, or the one that is named, to one of its points, whatever state it is in.
 *
 * @param point from 0, the first, to 1, the last
 * @returns when (ms since the epoch); undefined where there is nothing to reset yet
 */
export async function resetRun(
  client: Client,
  workflowId: string,
  point = 0,
  runId?: string,
): Promise<number | undefined> {
  const run = runId ?? (await client.workflow.getHandle(workflowId).describe()).runId;
  const points = await resetPoints(client, workflowId, run);
  const workflowTaskFinishEventId = points[Math.min(Math.floor(point * points.length), points.length - 1)];
  if (workflowTaskFinishEventId === undefined) return undefined;
  const at = Date.now();
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId: run },
    workflowTaskFinishEventId,
    requestId: randomUUID(),
    reason: 'a test',
  });
  return at;
}
