import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';

/**
 * Resets a workflow's current run to one of its points, whatever state it is in.
 *
 * @param point which of its workflow tasks, in [0, 1)
 * @returns when (ms since the epoch); undefined where there is nothing to reset yet
 */
export async function resetRun(
  client: Client,
  workflowId: string,
  point: number,
): Promise<number | undefined> {
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
  const task = tasks[Math.floor(point * tasks.length)];
  if (task?.eventId === undefined || task.eventId === null) return undefined;
  const at = Date.now();
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: task.eventId,
    requestId: randomUUID(),
    reason: 'storm',
  });
  return at;
}
