import type { Client } from '@temporalio/client';
import { type HistoryEvent, readHistory, resetFrom, startOf, timeOf } from '../../temporal/history.ts';
import { runsOf } from '../../temporal/visibility-query.ts';

const MAX_RUNS = 50;

export interface EarlierRuns {
  /** With their histories, newest first. */
  runs: { runId: string; events: readonly HistoryEvent[] }[];
  /** This run's own history. */
  own: readonly HistoryEvent[];
  /** The run that this one was reset from, where the server no longer has it. */
  missing: string | undefined;
}

/**
 * The runs that a run re-runs: its reset chain, every other run of the same first run, and the one that is named.
 *
 * @throws the client's error while Temporal cannot be reached
 */
export async function readEarlierRuns(
  client: Client,
  workflowId: string,
  runId: string,
  named?: string,
): Promise<EarlierRuns> {
  const own = (await readHistory(client, workflowId, runId)) ?? [];
  const firstRunId = startOf(own)?.firstRunId;
  const found = new Map<string, readonly HistoryEvent[]>();
  const follow = async (start: string | undefined): Promise<string | undefined> => {
    let next = start;
    while (next !== undefined && next !== runId && !found.has(next) && found.size < MAX_RUNS) {
      const events = await readHistory(client, workflowId, next);
      if (events === undefined) return next;
      found.set(next, events);
      next = resetFrom(events) ?? previousOf(events);
    }
    return undefined;
  };
  const missing = await follow(resetFrom(own));
  await follow(named);
  // A run that was reset twice has siblings that no chain of base runs leads to.
  const listed = client.workflow.list({ query: runsOf(workflowId), pageSize: MAX_RUNS });
  for await (const { workflowId: id, runId: sibling } of listed) {
    if (id !== workflowId || sibling === runId || found.has(sibling) || found.size >= MAX_RUNS) continue;
    const events = await readHistory(client, workflowId, sibling);
    if (events !== undefined && startOf(events)?.firstRunId === firstRunId) found.set(sibling, events);
  }
  const runs = [...found]
    .map(([id, events]) => ({ runId: id, events }))
    .sort((a, b) => startTime(b.events) - startTime(a.events));
  return { runs, own, missing };
}

/** Milliseconds since the epoch. */
export function startTime([first]: readonly HistoryEvent[]): number {
  return first === undefined ? 0 : timeOf(first);
}

function previousOf(events: readonly HistoryEvent[]): string | undefined {
  const request = startOf(events)?.args[0] as { earlierRun?: unknown } | undefined; // a GenerationRequest
  return typeof request?.earlierRun === 'string' ? request.earlierRun : undefined;
}
