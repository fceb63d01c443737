import type { Client } from '@temporalio/client';
import { predecessorOf, readStart } from '../../temporal/history.ts';

/** A run that goes on for so many others is not looked at further back: it searches. */
const MAX_CONTINUED = 20;

/**
 * The first run of those that a run goes on for because their histories had become long: it is the one that their parent
 * knows, and they know all that was bought since it began. Where one of them was Reset, the run itself: that one may have
 * had no reason to search. So too where Temporal has started one again, by a retry policy.
 */
export async function firstOfChain(client: Client, workflowId: string, runId: string): Promise<string> {
  let at = runId;
  for (let looked = 0; looked < MAX_CONTINUED; looked += 1) {
    const start = await readStart(client, workflowId, at);
    if (start?.originalExecutionRunId !== at) break;
    const before = predecessorOf(start);
    if (before === undefined) return at;
    if (before.why !== 'continued') break;
    at = before.runId;
  }
  return runId;
}
