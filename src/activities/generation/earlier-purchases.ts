import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import proto from '@temporalio/proto';
import { endedInVain } from '../../api/ended-in-vain.ts';
import { plainUsage } from '../../api/usage.ts';
import type { SubmitTaskInput, SubmitTaskResult } from '../../contract/activities.ts';
import { type HistoryEvent, readHistory, resetFrom, startOf, timeOf } from '../../temporal/history.ts';
import { runsOf } from '../../temporal/visibility-query.ts';
import type { WorkspaceAccess } from '../api-access.ts';
import type { ActivityDeps } from '../deps.ts';
import { type Purchases, readPurchases, type Submit } from './purchases.ts';
import { invalidRequest } from './to-failure.ts';

const { PendingActivityState } = proto.temporal.api.enums.v1;

const GET_TIMEOUT = 8_000;
const MAX_RUNS = 50;
/** A task that the API does not know now is asked about again this soon, at most (milliseconds). */
const MISSING_RECHECK = 2_000;

/** What an attempt at finding earlier purchases tells the next one. */
export interface EarlierSearch {
  /** Since when a task of an earlier run has been answered with 404, in milliseconds since the epoch. */
  missingSince?: number;
}

interface EarlierRun extends Purchases {
  runId: string;
}

/**
 * What an earlier run of this workflow id has bought and this one can take over: a completed or running task, or
 * a submit of which nobody knows how it ended. Undefined means: buy.
 *
 * On the hot path (no Reset, no `earlierRun`) it costs one comparison. A failed or canceled task is not taken
 * over: buying it again is what the person who resets wants. Neither is one that the API has not known for
 * `policy.vanished.wait`.
 *
 * @param search kept from attempt to attempt
 * @throws a retryable ApplicationFailure while a record cannot be read: buying blindly is not an option; for the
 *   same reason INVALID_REQUEST where a new run names an earlier one that is not there
 */
export async function findEarlierPurchase(
  deps: ActivityDeps,
  request: SubmitTaskInput,
  access: WorkspaceAccess,
  search: EarlierSearch,
): Promise<SubmitTaskResult | undefined> {
  const { workflowId, runId } = Context.current().info.workflowExecution ?? { workflowId: '', runId: '' };
  if (request.firstRunId === runId && request.earlierRun === undefined) return undefined;

  const { runs, own, deleted } = await earlierRuns(deps, workflowId, runId, request.earlierRun);
  if (request.firstRunId === runId && !runs.some((run) => run.runId === request.earlierRun)) {
    const message = `${request.earlierRun} is no run of ${workflowId} that the server still has; without the field all is bought anew`;
    throw invalidRequest([{ path: 'earlierRun', message }]);
  }
  const settled = new Set(request.settledTaskIds);
  const candidates = [...new Set(runs.flatMap(({ taskIds }) => taskIds.toReversed()))];
  let missing: string | undefined;
  for (const taskId of candidates) {
    if (settled.has(taskId)) continue;
    const answer = await deps.api.getGeneration(taskId, access.apiKey, GET_TIMEOUT);
    if (answer.kind === 'unavailable') {
      throw unreadable(taskId, answer.reason, answer.retryAfter ?? 2_000);
    }
    if (answer.kind === 'not-found') {
      missing ??= taskId;
      continue;
    }
    const { status, usage } = answer.record;
    if (endedInVain(status)) continue;
    return { kind: 'accepted', taskId, usage: plainUsage(usage), adopted: true };
  }
  if (missing !== undefined) {
    search.missingSince ??= Date.now();
    const { wait } = request.vanished;
    if (Date.now() - search.missingSince < wait)
      throw unreadable(missing, 'the API does not know it', Math.min(MISSING_RECHECK, wait / 4));
  }

  for (const { runId: earlier, unknownSubmit } of runs) {
    if (unknownSubmit === undefined || isOwn(unknownSubmit, request, own)) continue;
    if (
      !unknownSubmit.recorded &&
      !(await mayHaveStarted(deps, workflowId, earlier, unknownSubmit.activityId))
    )
      continue;
    return {
      kind: 'unknown',
      reason: 'a submit of an earlier run has no recorded end',
      since: unknownSubmit.since,
    };
  }
  if (deleted !== undefined && !request.resolvedUnknowns?.includes(deleted.since)) {
    return {
      kind: 'unknown',
      reason: `run ${deleted.runId}, which this one was reset from, is deleted: nobody can tell what it has bought`,
      since: deleted.since,
    };
  }
  return undefined;
}

/**
 * Whether a submit of an earlier run is this run's to resolve: it has done so, or has the submit in its own history,
 * up to the point that it was reset to.
 */
function isOwn(submit: Submit, request: SubmitTaskInput, own: readonly Submit[]): boolean {
  // A submit that release 0.1 has scheduled names none.
  if (request.resolvedUnknowns?.includes(submit.since)) return true;
  return own.some(
    ({ scheduledAt, activityId }) => scheduledAt === submit.scheduledAt && activityId === submit.activityId,
  );
}

function unreadable(taskId: string, reason: string, nextRetryDelay: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'EARLIER_PURCHASE_UNREADABLE',
    message: `an earlier run bought task ${taskId}, whose record cannot be read now: ${reason}`,
    nextRetryDelay,
  });
}

interface EarlierRuns {
  /** Newest first. */
  runs: EarlierRun[];
  /** The submits in this run's own history. */
  own: Submit[];
  /** The run that this one was reset from, where the server no longer has it; and when it began at the latest. */
  deleted: { runId: string; since: number } | undefined;
}

/** The runs that this one re-runs: its reset chain, and every other run of the same first run. */
async function earlierRuns(
  deps: ActivityDeps,
  workflowId: string,
  runId: string,
  named: string | undefined,
): Promise<EarlierRuns> {
  const own = (await readHistory(deps.temporal, workflowId, runId)) ?? [];
  const firstRunId = startOf(own)?.firstRunId;
  const found = new Map<string, readonly HistoryEvent[]>();
  const follow = async (start: string | undefined): Promise<string | undefined> => {
    let next = start;
    while (next !== undefined && next !== runId && !found.has(next) && found.size < MAX_RUNS) {
      const events = await readHistory(deps.temporal, workflowId, next);
      if (events === undefined) return next;
      found.set(next, events);
      next = resetFrom(events) ?? previousOf(events);
    }
    return undefined;
  };
  const missing = await follow(resetFrom(own));
  await follow(named);
  // A run that was reset twice has siblings that no chain of base runs leads to.
  const listed = deps.temporal.workflow.list({ query: runsOf(workflowId), pageSize: MAX_RUNS });
  for await (const { workflowId: id, runId: sibling } of listed) {
    if (id !== workflowId || sibling === runId || found.has(sibling) || found.size >= MAX_RUNS) continue;
    const events = await readHistory(deps.temporal, workflowId, sibling);
    if (events !== undefined && startOf(events)?.firstRunId === firstRunId) found.set(sibling, events);
  }
  const runs = [...found]
    .map(([id, events]) => ({
      runId: id,
      ...readPurchases(events),
      startedAt: Number(events[0]?.eventTime?.seconds ?? 0),
    }))
    .sort((a, b) => b.startedAt - a.startedAt);
  const deleted =
    missing === undefined ? undefined : { runId: missing, since: own[0] === undefined ? 0 : timeOf(own[0]) };
  return { runs, own: readPurchases(own).submits, deleted };
}

function previousOf(events: readonly HistoryEvent[]): string | undefined {
  const request = startOf(events)?.args[0] as { earlierRun?: unknown } | undefined; // a GenerationRequest
  return typeof request?.earlierRun === 'string' ? request.earlierRun : undefined;
}

/**
 * Whether a submit without a recorded end can have gone out. The server tells what the activity did last even of
 * a closed run: one that was never started, or whose last try was rejected, has bought nothing.
 */
async function mayHaveStarted(
  deps: ActivityDeps,
  workflowId: string,
  runId: string,
  activityId: string,
): Promise<boolean> {
  const { pendingActivities } = (await deps.temporal.workflow.getHandle(workflowId, runId).describe()).raw;
  const pending = pendingActivities?.find((activity) => activity.activityId === activityId);
  // Scheduled, or waiting for its next retry; anything else may be in flight.
  return pending === undefined || pending.state !== PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED;
}
