import type { Client } from '@temporalio/client';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
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
 * The runs that a run re-runs: its reset chain, every other run of the same first run, and the one that is named. Only
 * those of its own workspace, because that is a wall.
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
  const workspace = workspaceOf(own);
  const found = new Map<string, readonly HistoryEvent[]>();
  const follow = async (start: string | undefined): Promise<string | undefined> => {
    let next = start;
    while (next !== undefined && next !== runId && !found.has(next) && found.size < MAX_RUNS) {
      const events = await readHistory(client, workflowId, next);
      if (events === undefined || workspaceOf(events) !== workspace) return next;
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
    if (events === undefined || workspaceOf(events) !== workspace) continue;
    if (startOf(events)?.firstRunId === firstRunId) found.set(sibling, events);
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
  const earlierRun = requestOf(events)?.earlierRun;
  return typeof earlierRun === 'string' ? earlierRun : undefined;
}

function workspaceOf(events: readonly HistoryEvent[]): unknown {
  return requestOf(events)?.workspace ?? DEFAULT_WORKSPACE;
}

function requestOf(
  events: readonly HistoryEvent[],
): { earlierRun?: unknown; workspace?: unknown } | undefined {
  return startOf(events)?.args[0] as { earlierRun?: unknown; workspace?: unknown } | undefined; // a GenerationRequest
}
