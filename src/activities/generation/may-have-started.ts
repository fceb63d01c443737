import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';

const { PendingActivityState } = proto.temporal.api.enums.v1;

/**
 * Whether a submit without a recorded end can have gone out. The server tells what the activity did last even of
 * a closed run: one that was never started, or whose last try was rejected, has bought nothing.
 */
export async function mayHaveStarted(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
  activityId: string,
): Promise<boolean> {
  const { pendingActivities } = (await client.workflow.getHandle(workflowId, runId).describe()).raw;
  const pending = pendingActivities?.find((activity) => activity.activityId === activityId);
  // Scheduled, or waiting for its next retry; anything else may be in flight.
  return pending === undefined || pending.state !== PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED;
}
