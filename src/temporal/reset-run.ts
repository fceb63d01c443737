import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { HistoryEvent } from './history.ts';

const { RESET_REAPPLY_EXCLUDE_TYPE_CANCEL_REQUEST } = proto.temporal.api.enums.v1.ResetReapplyExcludeType;

/** A run of a workflow, by its ids. */
export interface RunIds {
  workflowId: string;
  runId: string;
}

/** A 64 bit number: an event's place in its history. */
type EventId = NonNullable<HistoryEvent['eventId']>;

/** The points that a run can be Reset to, oldest first: the ends of its workflow tasks, as event ids. */
export async function resetPoints(client: Client, { workflowId, runId }: RunIds): Promise<EventId[]> {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  return (events ?? []).flatMap(({ eventId, workflowTaskCompletedEventAttributes: completed }) =>
    completed && eventId ? [eventId] : [],
  );
}

/**
 * Resets a run, whatever state it is in: Temporal ends it, and a new run goes on from one of its points. A cancellation
 * that came after that point is not repeated, whatever the server's habit is: who resets a cancelled run wants it to go
 * on, and a task that it had bought would be nobody's once more.
 *
 * @param point one of `resetPoints`
 * @param requestId of several Resets with the same one is made
 * @returns the new run's id
 */
export async function resetRun(
  client: Client,
  { workflowId, runId }: RunIds,
  point: EventId,
  reason: string,
  requestId: string = randomUUID(),
): Promise<string> {
  const reset = await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: point,
    requestId,
    reason,
    resetReapplyExcludeTypes: [RESET_REAPPLY_EXCLUDE_TYPE_CANCEL_REQUEST],
  });
  return reset.runId;
}
