import type { Client } from '@temporalio/client';
import { predecessorOf, readStartIfThere } from '../../temporal/history.ts';

/** A run that goes on for so many others is not looked at further back: it searches. */
const MAX_CONTINUED = 20;

/**
 * Whether a run goes on for one whose history had become long, and so on back to the first, and none of them was Reset:
 * then it knows all that was bought since the first of them began. What goes on for a Reset's run does not: that one may have had no reason to search.
 * Nor does one that Temporal has started again, by a retry policy.
 */
export async function isContinued(
  client: Client,
  workflowId: string,
  { runId, firstRunId }: { runId: string; firstRunId: string },
): Promise<boolean> {
  let at = runId;
  for (let looked = 0; looked < MAX_CONTINUED; looked += 1) {
    const start = await readStartIfThere(client, workflowId, at);
    if (start?.originalExecutionRunId !== at) return false;
    const before = predecessorOf(start);
    if (before === undefined) return at === firstRunId;
    if (before.why !== 'continued') return false;
    at = before.runId;
  }
  return false;
}
