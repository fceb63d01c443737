import { Context } from '@temporalio/activity';
import type { Usage } from '../../api/records/usage.ts';
import type { EarlierRun } from '../../contract/activities.ts';
import type { Attempt } from '../../contract/generation.ts';
import { decode, decodeFields, type HistoryEvent } from '../../temporal/history.ts';
import type { ActivityDeps } from '../deps.ts';
import { deletedRun } from './deleted-run.ts';
import { readEarlierRuns } from './read-earlier-runs.ts';

/**
 * The tasks that earlier runs of this workflow id have accounted for in their results or failures: what they cost is
 * not this run's to count, so that the sum of `charged` over the runs is the bill. A run that was terminated, by a
 * Reset for example, has told nobody: the run that goes on counts for it. One that was cancelled has told it in its
 * memo, but for the step of a pipeline.
 *
 * @param earlierRun a run that the request names as an earlier one
 * @param parent whose histories may tell of a run that is deleted
 */
export async function accountedTasks(
  deps: Pick<ActivityDeps, 'temporal' | 'children'>,
  { earlierRun, parent }: EarlierRun,
): Promise<string[]> {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  const { runs } = await readEarlierRuns(deps.temporal, workflowId, runId, earlierRun);
  const told = parent === undefined ? undefined : await deletedRun(deps, parent, earlierRun !== undefined);
  const toldTasks = told?.kind === 'failed' ? told.purchases.taskIds : [];
  return [...new Set([...runs.flatMap(({ events }) => accountOf(events)), ...toldTasks])];
}

/** What a run tells of itself in the end. */
interface Account {
  attempts?: Pick<Attempt, 'taskId'>[];
}

/** The tasks in the account that a run's last event gives. */
function accountOf(events: readonly HistoryEvent[]): string[] {
  const last = events.at(-1);
  const { result } = last?.workflowExecutionCompletedEventAttributes ?? {};
  const { failure } = last?.workflowExecutionFailedEventAttributes ?? {};
  const [account] = decode<[Account]>(result ?? failure?.applicationFailureInfo?.details);
  const attempts = [...(account?.attempts ?? []), ...(leftBehind(events)?.attempts ?? [])];
  return attempts.flatMap(({ taskId }) => taskId ?? []);
}

/** The memo of a cancelled run. */
function leftBehind(events: readonly HistoryEvent[]): Account | undefined {
  if (events.at(-1)?.workflowExecutionCanceledEventAttributes == null) return undefined;
  const memos = events.map((event) =>
    decodeFields(event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields),
  );
  const left = memos.findLast((memo) => memo['cancelled'] !== undefined)?.['cancelled'];
  const { attempts = [], taskId = null, usage, charged } = (left ?? {}) as Partial<Cancelled>; // see memoOf
  if (charged === undefined) return undefined;
  // The task that goes on counts where its price was known by then.
  const settled = attempts.reduce((sum, attempt) => sum + attempt.usage.total, 0);
  return { attempts: [...attempts, { taskId: (usage?.total ?? 0) > settled ? taskId : null }] };
}

/** What a cancelled `generation` leaves in its memo. */
interface Cancelled {
  taskId: string | null;
  usage: Usage;
  charged?: Usage;
  attempts: Attempt[];
}
