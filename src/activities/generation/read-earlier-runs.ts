import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { isRecord } from '../../api/json/is-record.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import {
  beganAt,
  decode,
  decodeFields,
  type HistoryEvent,
  predecessorOf,
  readHistory,
  readStart,
  resetFrom,
  timeOf,
} from '../../temporal/history.ts';
import { likeness, originsOf, workspaceOf } from '../../temporal/reuse/same-step.ts';
import { runsOf } from '../../temporal/visibility-query.ts';
import { hasLookedBack } from './purchases.ts';

/** Runs whose histories are read. */
const MAX_RUNS = 100;
/** Runs of the id whose starts are looked at, the latest ones. */
const MAX_STARTS = 500;
/** Runs that are listed: where an id cannot be compared, those of others come, too. */
const MAX_LISTED = 10_000;
const AT_ONCE = 10;

type Events = readonly HistoryEvent[];

export interface EarlierRuns {
  /** With their histories, newest first; `firstRunId`: of the run that they go on for, or were Reset from. */
  runs: { runId: string; firstRunId: string; events: Events }[];
  /** This run's own history. */
  own: Events;
  /** A run that this one re-runs, where the server no longer has it and nobody has looked into it before. */
  missing: string | undefined;
}

/**
 * The runs that a run re-runs: its reset chain, the one that Temporal has retried, the one that is named and what that
 * one re-ran, and each further run of the id that belongs to one of these: it has the same first run (who is reset twice
 * has siblings that no chain leads to), or re-ran one of them for the same purchase (somebody else was quicker, and has
 * ended since). Only those of its own workspace, because that is a wall.
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
  /** Without a history: the server no longer has it, it is behind the wall, or it is another purchase. */
  const known = new Map<string, Events | undefined>();
  const follow = async (start: string | undefined): Promise<string | undefined> => {
    let isSettled = false;
    for (let next = start; next !== undefined && next !== runId && !known.has(next); ) {
      if (known.size >= MAX_RUNS) return undefined;
      const events = await readHistory(client, workflowId, next);
      const run = readable(() => startedWith(startEventOf(events ?? [])));
      if (events === undefined || run === undefined || run.workspace !== self.workspace) {
        known.set(next, undefined);
        return isSettled ? undefined : next;
      }
      known.set(next, events);
      families.add(run.firstRunId);
      const base = resetFrom(events);
      isSettled = base === undefined && hasLookedBack(events);
      next = base ?? run.retried ?? run.previous;
    }
    return undefined;
  };
  const missing = (await follow(resetFrom(own))) ?? (await follow(self.retried)) ?? (await follow(named));

  const others = await readStarts(client, workflowId, self);
  const belongs = ({ id, workspace, firstRunId, previous }: (typeof others)[number]): boolean =>
    id !== runId &&
    !known.has(id) &&
    workspace === self.workspace &&
    (families.has(firstRunId) || (previous !== undefined && known.has(previous)));
  // One by one: each may be what the next one belongs to.
  for (let next = others.find(belongs); next !== undefined && known.size < MAX_RUNS; ) {
    if (families.has(next.firstRunId) || next.isSamePurchase) await follow(next.id);
    else known.set(next.id, undefined);
    next = others.find(belongs);
  }
  const runs = [...known]
    .flatMap(([id, events]) => {
      const { firstExecutionRunId } = startEventOf(events ?? []) ?? {};
      return events === undefined ? [] : [{ runId: id, firstRunId: firstExecutionRunId ?? '', events }];
    })
    .sort((a, b) => beganAt(b.events) - beganAt(a.events));
  return { runs, own, missing };
}

/** The latest runs of the id, by how they were started. */
async function readStarts(client: Client, workflowId: string, self: StartedWith) {
  const ids: string[] = [];
  let listed = 0;
  for await (const { workflowId: id, runId } of client.workflow.list({ query: runsOf(workflowId) })) {
    if (id === workflowId) ids.push(runId);
    listed += 1;
    if (ids.length >= MAX_STARTS || listed >= MAX_LISTED) break;
  }
  const limit = pLimit(AT_ONCE);
  const read = async (id: string) => {
    const start = await readStart(client, workflowId, id);
    const run = start && readable(() => startedWith(start));
    if (run === undefined) return [];
    const { firstRunId, previous, workspace } = run;
    const isSame = readable(() => isSamePurchase(run, self)) ?? false;
    return [{ id, firstRunId, previous, workspace, isSamePurchase: isSame }];
  };
  return (await Promise.all(ids.map((id) => limit(read, id)))).flat();
}

type StartEvent = NonNullable<HistoryEvent['workflowExecutionStartedEventAttributes']>;
type StartedWith = ReturnType<typeof startedWith>;

function startEventOf([first]: Events): StartEvent | undefined {
  return first?.workflowExecutionStartedEventAttributes ?? undefined;
}

/** What a run was started with, as far as it tells whom it belongs to. */
function startedWith(start: StartEvent | undefined) {
  const [request] = decode<[GenerationRequest]>(start?.input);
  const earlierRun: unknown = request?.earlierRun;
  const { origins } = start?.memo?.fields ?? {};
  const before = predecessorOf(start);
  return {
    firstRunId: start?.firstExecutionRunId ?? '',
    /** The run that Temporal has started again as this one: its search attributes may not be listed yet. */
    retried: before === undefined || before.why === 'continued' ? undefined : before.runId,
    previous: typeof earlierRun === 'string' ? earlierRun : undefined,
    workspace: workspaceOf(request),
    request,
    origins: originsOf(origins === undefined ? {} : decodeFields({ origins })),
  };
}

/** Anybody may have started the id with anything: what cannot be read is no run of ours. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isSamePurchase(run: StartedWith, { request, origins }: StartedWith): boolean {
  if (request === undefined || !isRecord(run.request?.input)) return false;
  return likeness(run, { workspace: undefined, ...request, origins }) !== 'different';
}

/** When what a run goes on for began, in milliseconds since the epoch. */
export function startTime([first]: Events): number {
  return first === undefined ? 0 : timeOf(first);
}
