import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { type Condition, listRuns } from './list-runs.ts';

/** The least step into the past (milliseconds). */
const STEP = 1_000;

/**
 * The oldest runs that meet all conditions, at most so many, the oldest first. Visibility lists the newest ones first,
 * and orders otherwise only where Elasticsearch is its store: while a list is full, it is asked for what is twice as old,
 * and, once nothing is, for what began before the middle of the time that remains.
 */
export async function oldestRuns(
  client: Client,
  conditions: readonly Condition[],
  most: number,
): Promise<WorkflowExecutionInfo[]> {
  const now = Date.now();
  let found = oldestFirst(await listRuns(client, conditions, most));
  // None began before this, as far as is known (milliseconds since the epoch).
  let none: number | undefined;
  for (;;) {
    const some = (found[0]?.startTime.getTime() ?? now) + 1;
    if (found.length < most || some - (none ?? 0) <= 1) return found;
    const at = none === undefined ? some - Math.max(STEP, now - some) : Math.floor((none + some) / 2);
    const before = [...conditions, ['StartTime', '<', new Date(at).toISOString()]] as const;
    const older = oldestFirst(await listRuns(client, before, most));
    if (older.length === 0) none = at;
    else found = older;
  }
}

function oldestFirst(runs: WorkflowExecutionInfo[]): WorkflowExecutionInfo[] {
  return runs.toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime());
}
