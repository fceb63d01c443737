import type { Client } from '@temporalio/client';
import { decode, type HistoryEvent, readHistory } from '../../temporal/history.ts';
import type { ListedRun } from '../../temporal/list-runs.ts';

/** How a run was started and how it ended, read from its history at once. */
export interface RunEnds {
  /** The one argument. */
  request: unknown;
  /** Of a run that has completed. */
  result?: unknown;
  /** Of a run that has failed, or was cancelled (from its memo); null where it could leave nothing behind. */
  failure?: { type: string; details: unknown } | null;
  /** Whether it has asked for any submit. */
  hasSubmitted: boolean;
}

const SUBMITS: ReadonlySet<string> = new Set(['submitTask', 'adoptTask']);

/** Undefined where the server no longer has its history. */
export async function readEnds(client: Client, run: ListedRun): Promise<RunEnds | undefined> {
  const events = await readHistory(client, run.workflowId, run.runId);
  const start = events?.[0]?.workflowExecutionStartedEventAttributes;
  if (events === undefined || !start) return undefined;
  const hasSubmitted = events.some(({ activityTaskScheduledEventAttributes: scheduled }) =>
    SUBMITS.has(scheduled?.activityType?.name ?? ''),
  );
  return { request: decode(start.input)[0], hasSubmitted, ...endOf(events.at(-1), run) };
}

function endOf(
  last: HistoryEvent | undefined,
  { memo, status }: ListedRun,
): Pick<RunEnds, 'result' | 'failure'> {
  const completed = last?.workflowExecutionCompletedEventAttributes;
  if (completed) return { result: decode(completed.result)[0] };
  const failed = last?.workflowExecutionFailedEventAttributes?.failure?.applicationFailureInfo;
  if (failed) return { failure: { type: failed.type ?? '', details: decode(failed.details)[0] ?? null } };
  if (status === 'CANCELLED') return { failure: { type: 'CANCELLED', details: memo['cancelled'] ?? null } };
  return status === 'RUNNING' ? {} : { failure: null };
}
