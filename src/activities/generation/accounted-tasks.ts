import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { Usage } from '../../api/usage.ts';
import type { Attempt } from '../../contract/generation.ts';
import { decode, decodeFields, type HistoryEvent } from '../../temporal/history.ts';
import { readEarlierRuns } from './earlier-runs.ts';

/**
 * The tasks that earlier runs of this workflow id have accounted for in their results or failures, or in the memo that a
 * cancelled one leaves: what they cost is not this run's to count, so that the sum of `charged` over the runs is the
 * bill. A run that was terminated, by a Reset for example, has told nobody: the run that goes on counts for it.
 *
 * @param named a run that the request names as an earlier one
 */
export async function accountedTasks(client: Client, named: string | undefined): Promise<string[]> {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  const { runs } = await readEarlierRuns(client, workflowId, runId, named);
  return [...new Set(runs.flatMap(({ events }) => accountOf(events)))];
}

/** The tasks in the account that a run has given in its end. */
function accountOf(events: readonly HistoryEvent[]): string[] {
  const last = events.at(-1);
  if (last?.workflowExecutionCanceledEventAttributes) return accountOfCancelled(events);
  const { result } = last?.workflowExecutionCompletedEventAttributes ?? {};
  const { failure } = last?.workflowExecutionFailedEventAttributes ?? {};
  const [account] = decode(result ?? failure?.applicationFailureInfo?.details) as [
    { attempts?: Attempt[] } | undefined,
  ];
  return (account?.attempts ?? []).flatMap(({ taskId }) => taskId ?? []);
}

/** As `generation` leaves it: its attempts, and the task that goes on, where its price was known by then. */
function accountOfCancelled(events: readonly HistoryEvent[]): string[] {
  const memo = events.findLast(({ workflowPropertiesModifiedEventAttributes: event }) => event?.upsertedMemo);
  const { fields } = memo?.workflowPropertiesModifiedEventAttributes?.upsertedMemo ?? {};
  const { cancelled } = decodeFields(fields) as {
    cancelled?: { taskId: string | null; usage: Usage; attempts: Attempt[] };
  };
  if (cancelled === undefined) return [];
  const { taskId, usage, attempts } = cancelled;
  const settled = attempts.reduce((sum, attempt) => sum + attempt.usage.total, 0);
  return [...attempts.map((attempt) => attempt.taskId), usage.total > settled ? taskId : null].flatMap(
    (id) => id ?? [],
  );
}
