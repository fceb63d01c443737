import type { Client } from '@temporalio/client';
import { predecessorOf, readStart } from '../../temporal/history.ts';

/** A run that goes on for so many others is not looked at further back: it searches. */
const MAX_CONTINUED = 20;

/**
 * Whether a run is a Reset's, or goes on for one that is; and the first run of those that it goes on for because their
 * histories had become long: it is the one that their parent knows, and they know all that was bought since it began. Where
 * one of them was Reset, the run itself: that one may have had no reason to search. So too where Temporal has started one
 * again, by a retry policy, and where the server has deleted one that was not the first.
 */
export async function chainOf(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<{ first: string; wasReset: boolean }> {
  const own = await readStart(client, workflowId, runId);
  let wasReset = own?.originalExecutionRunId !== runId;
  let start = own;
  let at = runId;
  for (let looked = 0; looked < MAX_CONTINUED; looked += 1) {
    // The first one's id is no Reset's.
    if (start === undefined && at === own?.firstExecutionRunId) return { first: at, wasReset };
    if (start?.originalExecutionRunId !== at) break;
    const before = predecessorOf(start);
    if (before === undefined) return { first: at, wasReset };
    if (before.why !== 'continued') return { first: runId, wasReset };
    at = before.runId;
    start = await readStart(client, workflowId, at);
  }
  // It is a Reset's, or nobody can tell.
  return { first: runId, wasReset: true };
}
