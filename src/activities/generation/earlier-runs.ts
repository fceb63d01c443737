import type { Client } from '@temporalio/client';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { type HistoryEvent, readHistory, resetFrom, startOf, timeOf } from '../../temporal/history.ts';
import { runsOf } from '../../temporal/visibility-query.ts';

const MAX_RUNS = 50;

type Events = readonly HistoryEvent[];

export interface EarlierRuns {
  /** With their histories, newest first. */
  runs: { runId: string; events: Events }[];
  /** This run's own history. */
  own: Events;
  /** The run that this one was reset from, where the server no longer has it. */
  missing: string | undefined;
}

/**
 * The runs that a run re-runs: its reset chain, the one that is named and what that one re-ran, and each further run of
 * the id that belongs to one of these: it has the same first run (who is reset twice has siblings that no chain leads
 * to), or re-ran one of them (somebody else was quicker, and has ended since). Only those of its own workspace, because
 * that is a wall.
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
  const workspace = workspaceOf(own);
  const read = async (one: string): Promise<Events | undefined> => {
    const events = await readHistory(client, workflowId, one);
    return events !== undefined && workspaceOf(events) === workspace ? events : undefined;
  };
  const found = new Map<string, Events>();
  const others = new Map<string, Events>();
  const follow = async (start: string | undefined): Promise<string | undefined> => {
    let next = start;
    while (next !== undefined && next !== runId && !found.has(next) && found.size < MAX_RUNS) {
      const events = others.get(next) ?? (await read(next));
      if (events === undefined) return next;
      found.set(next, events);
      next = resetFrom(events) ?? previousOf(events);
    }
    return undefined;
  };
  const missing = await follow(resetFrom(own));
  await follow(named);
  const listed = client.workflow.list({ query: runsOf(workflowId), pageSize: MAX_RUNS });
  for await (const { workflowId: id, runId: other } of listed) {
    if (id !== workflowId || other === runId || found.has(other) || others.size >= MAX_RUNS) continue;
    const events = await read(other);
    if (events !== undefined) others.set(other, events);
  }
  const belonging = (): string | undefined => {
    const family = new Set([own, ...found.values()].map((events) => startOf(events)?.firstRunId));
    const isOfIt = ([other, events]: [string, Events]): boolean =>
      !found.has(other) &&
      (family.has(startOf(events)?.firstRunId) || found.has(previousOf(events) ?? other));
    return [...others].find(isOfIt)?.[0];
  };
  // One by one: each may be what the next one belongs to.
  for (let next = belonging(); next !== undefined && found.size < MAX_RUNS; next = belonging())
    await follow(next);
  const runs = [...found]
    .map(([id, events]) => ({ runId: id, events }))
    .sort((a, b) => startTime(b.events) - startTime(a.events));
  return { runs, own, missing };
}

/** Milliseconds since the epoch. */
export function startTime([first]: Events): number {
  return first === undefined ? 0 : timeOf(first);
}

function previousOf(events: Events): string | undefined {
  const earlierRun = requestOf(events)?.earlierRun;
  return typeof earlierRun === 'string' ? earlierRun : undefined;
}

function workspaceOf(events: Events): unknown {
  return requestOf(events)?.workspace ?? DEFAULT_WORKSPACE;
}

function requestOf(events: Events): { earlierRun?: unknown; workspace?: unknown } | undefined {
  return startOf(events)?.args[0] as { earlierRun?: unknown; workspace?: unknown } | undefined; // a GenerationRequest
}
