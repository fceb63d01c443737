import type { Client } from '@temporalio/client';
import { DarkroomTaskId } from '../../contract/search-attributes.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { holdersOf } from '../../temporal/visibility-query.ts';

/**
 * Which of the tasks runs hold, of whatever id, as the main database tells. After a restore visibility alone does not: it
 * is dumped later, or was not restored at all, and may name runs that are lost, or tasks that a run has not bought yet.
 *
 * @param asking the run that asks: what it holds itself does not count
 * @throws the client's error while Temporal cannot be reached
 */
export async function knownTasks(
  client: Client,
  taskIds: readonly string[],
  asking: string | undefined,
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  const query = holdersOf(taskIds);
  if (query === undefined) return known;
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    if (runId === asking) continue;
    const run = await describeRun(client, workflowId, runId);
    const taskId = run?.typedSearchAttributes.get(DarkroomTaskId);
    if (taskId !== undefined) known.add(taskId);
  }
  return known;
}
