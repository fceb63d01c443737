import { Context } from '@temporalio/activity';
import { fieldDigests } from '../../api/input/field-digests.ts';
import { endedInVain } from '../../api/records/ended-in-vain.ts';
import { plainUsage } from '../../api/records/usage.ts';
import { GET_TIMEOUT } from '../../contract/limits.ts';
import type { SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import { drawsSeeds } from '../../policy/next-step.ts';
import { type Patience, triedAgain, triedFor } from '../../policy/patience.ts';
import { beginningOfRun } from '../../temporal/beginning-of-run.ts';
import type { ActivityDeps } from '../deps.ts';
import { chainOf } from '../parents/chain-of.ts';
import { givenTasks } from './adoptions.ts';
import { accessTo, type CheckedSubmit } from './check-submit.ts';
import { deletedRun } from './deleted-run.ts';
import { doubtsOf } from './doubts.ts';
import { compare } from './get-task.ts';
import { sentInputs, takeHeardOf, toldTaskIds } from './heard-of.ts';
import { mayHaveStarted } from './may-have-started.ts';
import {
  adopted,
  type EarlierRun,
  endOf,
  type MissingTask,
  resultWith,
  takeMissing,
} from './missing-tasks.ts';
import { readPurchases, type Submit, type UnknownSubmit } from './purchases.ts';
import { readEarlierRuns, startTime } from './read-earlier-runs.ts';
import { invalidRequest } from './to-failure.ts';
import { UNREAD_RECHECK, unreadable } from './unreadable.ts';

/** What an attempt at finding earlier purchases tells the next one. */
export interface EarlierSearch {
  /** How long a task of an earlier run has been answered with 404; true: long enough. */
  missing?: Patience | true;
  /** How long the record of one could not be read. */
  unread?: Patience;
  /** How long the names of those that it was told of have been other runs', or they were answered with 404; true: long enough. */
  kept?: (readonly [taskId: string, Patience | true])[];
  /** How long any of them has been: whoever sends ids without end is waited for no longer than a task. */
  keptFor?: Patience | true;
  /** How long what the store has could not be read. */
  stored?: Patience;
  /** How long a task has been looked at that a submit may have bought which was given up. */
  looking?: Patience;
  /** What other submits of the run have bought, as an account has told. */
  bought?: readonly string[];
}

/**
 * What an earlier run of this workflow id has bought and this one can take over: a completed or running task, or
 * a submit of which nobody knows how it ended. Undefined means: buy.
 *
 * On the hot path (no Reset, no `earlierRun`) it costs one comparison. A failed or canceled task is not taken
 * over: buying it again is what the person who resets wants. One that the API does not know for `policy.vanished.wait`, or
 * whose record cannot be read for as long, is taken over unread, and waited for as one that the run holds; but for one that
 * an earlier run has given up as vanished, or that was passed over when another one was bought. A run that had completed is
 * repeated where its task is gone.
 *
 * @param search kept from attempt to attempt
 * @throws a retryable ApplicationFailure while a record cannot be read yet: buying blindly is not an option; for the
 *   same reason SUBMISSION_UNKNOWN where that lasts, and INVALID_REQUEST where a new run names an earlier one that is not
 *   there
 */
export async function findEarlierPurchase(
  deps: ActivityDeps,
  request: CheckedSubmit,
  search: EarlierSearch,
): Promise<SubmitTaskResult | undefined> {
  const { workflowId, runId } = Context.current().info.workflowExecution ?? { workflowId: '', runId: '' };
  const { firstRunId, parent, earlierRun, lookedBack, settledTaskIds, resolvedUnknowns = [] } = request;
  if (request.firstRunId === runId && earlierRun === undefined && parent === undefined) return undefined;
  // One that was never Reset knows what it has bought since its first run began, which may have had to look back itself.
  const { first, wasReset } =
    firstRunId === runId
      ? { first: runId, wasReset: false }
      : await chainOf(deps.temporal, workflowId, runId);
  const isFirst = first === firstRunId;
  const hasNoOther = earlierRun === undefined && parent === undefined;
  if ((isFirst && hasNoOther) || (!wasReset && lookedBack === true)) return undefined;

  const told = parent === undefined ? undefined : await deletedRun(deps, parent, earlierRun !== undefined);
  if (isFirst && earlierRun === undefined && told === undefined) return undefined;
  const found = await readEarlierRuns(deps.temporal, workflowId, runId, earlierRun);
  const runs = found.runs
    .filter((run) => !isFirst || run.firstRunId !== firstRunId)
    .map(
      ({ runId, events }): EarlierRun => ({
        runId,
        ...readPurchases(events),
        told: toldTaskIds(events),
        given: givenTasks(events),
      }),
    );
  const isThere = runs.some((run) => run.runId === told?.runId);
  const gone = isThere ? undefined : told;
  if (gone?.kind === 'failed') runs.push({ runId: gone.runId ?? '', ...gone.purchases, told: [], given: [] });
  const own = readPurchases(found.own).endedSubmits;
  // What is deleted began before this run, and the one that it goes on for: so may its task have done.
  const lostRun = gone?.runId ?? found.missing;
  const since = Math.min(
    startTime(found.own),
    ...[firstRunId, lostRun ?? ''].map((one) => beginningOfRun(one) ?? Infinity),
  );
  const unknown =
    gone?.kind === 'unknown' ? gone.why : gone === undefined ? whyUnknown(found.missing) : undefined;
  const seed = unknown !== undefined && mayDrawSeeds(request) ? ('any' as const) : undefined;
  if (
    firstRunId === runId &&
    // It has taken over nothing yet: afterwards it is known that it was there.
    settledTaskIds.length + resolvedUnknowns.length === 0 &&
    earlierRun !== undefined &&
    told === undefined &&
    !runs.some((run) => run.runId === earlierRun)
  ) {
    const message = `${earlierRun} is no run of ${workflowId} that the server still has; without the field all is bought anew`;
    throw invalidRequest([{ path: 'earlierRun', message }]);
  }
  const settled = new Set(settledTaskIds);
  const seeds = [...new Set([...seedsOf(runs), ...(seed === undefined ? [] : [seed])])];
  const { model } = request;
  const inputs = sentInputs(request, seeds).map(fieldDigests);
  const isOurs = (input: unknown): boolean => compare(deps, input, { model, inputs }).isAsSent;
  const candidates = [...new Set(runs.flatMap(({ taskIds }) => taskIds.toReversed()))];
  const missing: MissingTask[] = [];
  let isPassedOver = false;
  for (const taskId of candidates) {
    const wasPassedOver = isPassedOver;
    // Who bought it had looked for what there was before.
    isPassedOver ||= runs.some(({ bought }) => bought.has(taskId));
    if (settled.has(taskId)) continue;
    const answer = await deps.api.getGeneration(taskId, accessTo(deps, request.workspace), GET_TIMEOUT);
    if (answer.kind === 'unavailable') {
      const pause = answer.retryAfter ?? UNREAD_RECHECK;
      search.unread = triedAgain(search.unread, Date.now(), pause);
      if (triedFor(search.unread) < request.vanished.wait) throw unreadable(taskId, answer.reason, pause);
      // It may last. The run holds the task: it waits for its record as for that of any other, and says so.
      return adopted(taskId, runs);
    }
    if (answer.kind === 'not-found') {
      const isOver = wasPassedOver || endOf(runs, taskId) === 'in vain';
      if (!isOver) deps.lookouts.heard(request.workspace, taskId, 'not-found');
      if (!isOver || resultWith(runs, taskId) !== undefined) missing.push({ taskId, isOver });
      continue;
    }
    deps.lookouts.heard(request.workspace, taskId, 'record');
    const { status, usage, input } = answer.record;
    if (endedInVain(status)) continue;
    const foreign = runs.some(({ given }) => given.includes(taskId)) && !isOurs(input);
    return {
      kind: 'accepted',
      taskId,
      usage: plainUsage(usage),
      adopted: true,
      ...(foreign ? { foreign } : {}),
    };
  }
  if (gone?.kind === 'completed') return { kind: 'completed', result: gone.result };
  const known = new Set([...settled, ...runs.flatMap(({ taskIds }) => taskIds)]);
  const toldOf = [...runs.toReversed().flatMap((run) => run.told), ...toldTaskIds(found.own)];
  const heardOf = [...new Set(toldOf)].filter((taskId) => !known.has(taskId));
  const taken = await takeHeardOf(deps, request, heardOf, seeds, search);
  if (taken !== undefined) return taken;

  for (const submit of doubtsOf(runs)) {
    const { runId: scheduler = '', activityId } = submit;
    if (isOwn(submit, request, own)) continue;
    if (
      !submit.recorded &&
      !(await mayHaveStarted(deps.temporal, { workflowId, runId: scheduler }, activityId))
    )
      continue;
    return handedOn(submit, request);
  }
  if (unknown !== undefined && !resolvedUnknowns.includes(since))
    // Its submit may still be open: it was ended, and deleted, at whatever point.
    return { kind: 'unknown', reason: unknown, since, inFlight: true, ...(seed ? { seed } : {}) };
  // Last: for each doubt that is handed on this is asked anew.
  return await takeMissing(deps, request, runs, missing, search);
}

/** What submits of the runs were sent with, beside the request's. */
function seedsOf(runs: readonly EarlierRun[]): (number | 'any')[] {
  return runs.flatMap((run) =>
    [...run.endedSubmits, ...run.unknownSubmits].flatMap(({ seed }) => seed ?? []),
  );
}

/** The doubt about a submit of an earlier run, for this one to resolve. */
function handedOn(submit: UnknownSubmit, request: CheckedSubmit): SubmitTaskResult {
  const { since, clockOffset, inFlight, claimedAt, givenUp, stored, runId, activityId } = submit;
  const seed = submit.seed === 'any' && !mayDrawSeeds(request) ? undefined : submit.seed;
  return {
    kind: 'unknown',
    reason:
      givenUp === true
        ? 'a submit that an earlier run has given up may have bought a task since'
        : 'a submit of an earlier run has no recorded end',
    since,
    ...(clockOffset === undefined ? {} : { clockOffset }),
    ...(inFlight ? { inFlight: true } : {}),
    ...(claimedAt === undefined ? {} : { claimedAt }),
    ...(givenUp === true ? { givenUp } : {}),
    ...(stored === true ? { stored } : {}),
    ...(seed === request.input['seed'] ? {} : { seed: seed ?? null }),
    ...(runId === undefined ? {} : { submit: { runId, activityId } }),
  };
}

/** Whether a run of it may have sent another seed than the request's. */
function mayDrawSeeds({ plan: { takesSeed, policy } }: CheckedSubmit): boolean {
  return takesSeed && drawsSeeds(policy);
}

function whyUnknown(missing: string | undefined): string | undefined {
  return missing === undefined
    ? undefined
    : `run ${missing}, which this one runs again, is deleted: nobody can tell what it has bought`;
}

/**
 * Whether a submit of an earlier run is this run's to resolve: it has done so, or has the end of the submit in its own
 * history, up to the point that it was reset to. One that was in flight at that point is not its own: Temporal copies
 * its beginning into the new run, and gives it out anew.
 */
function isOwn(submit: Submit, request: CheckedSubmit, own: readonly Submit[]): boolean {
  if (request.resolvedUnknowns?.includes(submit.since)) return true;
  return own.some(
    ({ scheduledAt, activityId }) => scheduledAt === submit.scheduledAt && activityId === submit.activityId,
  );
}
