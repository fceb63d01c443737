import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { type Condition, listRuns } from './list-runs.ts';

/**
 * The oldest runs that meet all conditions, at most so many, the oldest first. Visibility lists the newest ones first,
 * and orders otherwise only where Elasticsearch is its store: while a list is full, it is asked for what began before
 * the middle of the time that remains.
 */
export async function oldestRuns(
  client: Client,
  conditions: readonly Condition[],
  most: number,
): Promise<WorkflowExecutionInfo[]> {
  let found = await listRuns(client, conditions, most);
  // None began before the first of these, some before the second (milliseconds since the epoch).
  let [none, some] = [0, Date.now()];
  while (found.length >= most && some - none > 1) {
    const middle = Math.floor((none + some) / 2);
    const before = [...conditions, ['StartTime', '<', new Date(middle).toISOString()]] as const;
    const older = await listRuns(client, before, most);
    if (older.length === 0) none = middle;
    else [found, some] = [older, middle];
  }
  return found.toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime());
}
