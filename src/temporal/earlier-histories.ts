import type { Client } from '@temporalio/client';
import { isRecord } from '../api/json/is-record.ts';
import { differences } from '../contract/purchases/same-purchase.ts';
import { beganAt, decode, type HistoryEvent, predecessorOf, readHistory, resetFrom } from './history.ts';
import type { RunIds } from './reset-run.ts';
import { runsOf } from './visibility-query.ts';

/** Runs whose histories are read, the latest ones. */
const MAX_RUNS = 50;
/** Runs that are listed: where an id cannot be compared, those of others come, too. */
const MAX_LISTED = 1_000;

type Events = readonly HistoryEvent[];

/** What the histories of a workflow's runs tell. */
export interface Histories<T> {
  /** Of its earlier runs, the oldest first. */
  earlier: T[];
  /** Of the run itself. */
  own: T;
  /** A run that it repeats and that the server no longer has: what that one did, nobody can tell. */
  missing: string | undefined;
}

/**
 * What a run and earlier runs of the same workflow have written down, as far as they were asked for the same: one
 * history after the other, because each may be large.
 *
 * @param read what of it is kept
 * @param onRun called before each run is read
 * @throws the client's error while Temporal cannot be reached
 */
export async function readHistories<T>(
  client: Client,
  { workflowId, runId }: RunIds,
  read: (events: Events) => T,
  onRun: () => void = () => undefined,
): Promise<Histories<T>> {
  const own = (await readHistory(client, workflowId, runId)) ?? [];
  const found: { at: number; told: T }[] = [];
  const seen = new Set([runId]);
  /** Undefined: the server no longer has it. */
  const take = async (earlier: string): Promise<Events | undefined> => {
    seen.add(earlier);
    onRun();
    const events = await readHistory(client, workflowId, earlier);
    if (events !== undefined && isAlike(own, events)) found.push({ at: beganAt(events), told: read(events) });
    return events;
  };
  let missing: string | undefined;
  // The run that this one was Reset from has ended just now: a list may not know it yet.
  for (let next = repeatedBy(own); next !== undefined && !seen.has(next.runId) && seen.size <= MAX_RUNS; ) {
    const events = await take(next.runId);
    if (events === undefined && !next.hasContinued) missing = next.runId;
    next = repeatedBy(events ?? []);
  }
  let listed = 0;
  for await (const run of client.workflow.list({ query: runsOf(workflowId) })) {
    listed += 1;
    if (listed > MAX_LISTED || seen.size > MAX_RUNS) break;
    if (run.workflowId === workflowId && !seen.has(run.runId)) await take(run.runId);
  }
  const earlier = found.toSorted((one, other) => one.at - other.at).map(({ told }) => told);
  return { earlier, own: read(own), missing };
}

/** The run that a run repeats or goes on for; one that has continued as new has handed on what it knew. */
function repeatedBy(events: Events): { runId: string; hasContinued: boolean } | undefined {
  const base = resetFrom(events);
  if (base !== undefined) return { runId: base, hasContinued: false };
  const before = predecessorOf(events[0]?.workflowExecutionStartedEventAttributes);
  if (before === undefined || before.why === 'cron') return undefined;
  return { runId: before.runId, hasContinued: before.why === 'continued' };
}

/** Whether they are runs of the same workflow, and a pipeline's of the same steps. */
function isAlike([own]: Events, [other]: Events): boolean {
  const one = own?.workflowExecutionStartedEventAttributes;
  const two = other?.workflowExecutionStartedEventAttributes;
  const type = one?.workflowType?.name;
  if (type === undefined || type !== two?.workflowType?.name) return false;
  if (type !== 'pipeline') return true;
  const [request] = decode(one?.input);
  const [asked] = decode(two?.input);
  return isRecord(request) && differences('pipeline', request, asked).length === 0;
}
