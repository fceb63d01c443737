import type { Client } from '@temporalio/client';
import { isRecord } from '../../api/is-record.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import {
  decode,
  decodeFields,
  type HistoryEvent,
  readHistory,
  readStartIfThere,
  resetFrom,
  timeOf,
} from '../../temporal/history.ts';
import { likeness, originsOf, workspaceOf } from '../../temporal/reuse/same-step.ts';
import { runsOf } from '../../temporal/visibility-query.ts';

/** Runs whose histories are read. */
const MAX_RUNS = 100;
/** Runs of the id whose starts are looked at, the latest ones. */
const MAX_LISTED = 500;
/** Milliseconds: visibility may tell a start by another clock. */
const START_TOLERANCE = 1_000;

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
 * to), or re-ran one of them for the same purchase (somebody else was quicker, and has ended since). Only those of its
 * own workspace, because that is a wall.
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
  const self = startedWith(startEventOf(own));
  const families = new Set([self.firstRunId]);
  /** Without a history: the server no longer has it, or it is behind the wall. */
  const known = new Map<string, Events | undefined>();
  /** @returns the run at which the chain of Resets breaks off */
  const follow = async (start: string | undefined): Promise<string | undefined> => {
    let isReset = true;
    for (let next = start; next !== undefined && next !== runId && !known.has(next); ) {
      if (known.size >= MAX_RUNS) return undefined;
      const events = await readHistory(client, workflowId, next);
      const run = startedWith(startEventOf(events ?? []));
      const isThere = events !== undefined && run.workspace === self.workspace;
      known.set(next, isThere ? events : undefined);
      if (!isThere) return isReset ? next : undefined;
      families.add(run.firstRunId);
      const base = resetFrom(events);
      isReset &&= base !== undefined;
      next = base ?? run.previous;
    }
    return undefined;
  };
  const missing = await follow(resetFrom(own));
  await follow(named);

  const since = Math.min(...[own, ...known.values()].map((events) => startTime(events ?? own)));
  const others = await listStarts(client, workflowId, since);
  const belongs = ({ id, run }: (typeof others)[number]): boolean =>
    id !== runId &&
    !known.has(id) &&
    run.workspace === self.workspace &&
    (families.has(run.firstRunId) ||
      (run.previous !== undefined && known.has(run.previous) && isSamePurchase(run, self)));
  // One by one: each may be what the next one belongs to.
  for (let next = others.find(belongs); next !== undefined && known.size < MAX_RUNS; ) {
    await follow(next.id);
    next = others.find(belongs);
  }
  const runs = [...known]
    .flatMap(([id, events]) => (events === undefined ? [] : [{ runId: id, events }]))
    .sort((a, b) => startTime(b.events) - startTime(a.events));
  return { runs, own, missing };
}

/** The latest runs of the id, by how they were started. */
async function listStarts(client: Client, workflowId: string, since: number) {
  const from = new Date(since - START_TOLERANCE).toISOString();
  const query = `${runsOf(workflowId)} AND StartTime >= "${from}"`;
  const starts: { id: string; run: StartedWith }[] = [];
  let listed = 0;
  for await (const { workflowId: id, runId } of client.workflow.list({ query })) {
    listed += 1;
    if (listed > MAX_LISTED) break;
    if (id !== workflowId) continue;
    const start = await readStartIfThere(client, workflowId, runId);
    if (start !== undefined) starts.push({ id: runId, run: startedWith(start) });
  }
  return starts;
}

type StartEvent = NonNullable<HistoryEvent['workflowExecutionStartedEventAttributes']>;
type StartedWith = ReturnType<typeof startedWith>;

function startEventOf([first]: Events): StartEvent | undefined {
  return first?.workflowExecutionStartedEventAttributes ?? undefined;
}

/** What a run was started with, as far as it tells whom it belongs to. Anything may have been sent. */
function startedWith(start: StartEvent | undefined) {
  const [request] = decode(start?.input) as [GenerationRequest | undefined];
  const earlierRun: unknown = request?.earlierRun;
  return {
    firstRunId: start?.firstExecutionRunId ?? '',
    previous: typeof earlierRun === 'string' ? earlierRun : undefined,
    workspace: workspaceOf(request),
    request,
    origins: originsOf(decodeFields(start?.memo?.fields)),
  };
}

function isSamePurchase(run: StartedWith, { request, origins }: StartedWith): boolean {
  if (request === undefined || !isRecord(run.request?.input)) return false;
  return likeness(run, { workspace: undefined, ...request, origins }) !== 'different';
}

/** Milliseconds since the epoch. */
export function startTime([first]: Events): number {
  return first === undefined ? 0 : timeOf(first);
}
