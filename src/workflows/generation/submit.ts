import { TimeoutType } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  sleep,
  TimeoutFailure,
} from '@temporalio/workflow';
import { firstError } from '../../api/input/mistakes.ts';
import { isNestedDeeper } from '../../api/json/nesting.ts';
import type { RequestCheck } from '../../contract/activities.ts';
import { DEEPEST_REQUEST } from '../../contract/limits.ts';
import { cutLabel } from '../../contract/summary.ts';
import type {
  RejectionDetails,
  SubmitTaskInput,
  SubmitTaskResult,
} from '../../contract/tasks/submit-task.ts';
import { submitTimes } from '../../policy/submit-times.ts';
import { parentRun } from '../parent-run.ts';
import { callSubmit, local, orElse } from './activities.ts';
import { doubt as inDoubt, tasksOf, withForeign } from './attempts.ts';
import { doubtAbout, look, nextLookAt } from './evidence.ts';
import type { Submitting, UnknownSubmit } from './stage.ts';
import { at, policyOf, type Run, type State, withNews } from './state.ts';
import { adopt, fail, followPolicy, hold, leaveSearch, lookFor } from './transitions.ts';

/**
 * Submits once (rejections that the policy paces in place are Temporal's to retry), after what keeps it from that: a pause,
 * a task that may be the one already. Each try of the submit looks by itself for what the run was told meanwhile.
 */
export async function submit(before: State, stage: Submitting, run: Run): Promise<State> {
  if (stage.pause !== undefined) {
    const { until, why } = stage.pause;
    await sleep(Math.max(1, until - Date.now()), { summary: cutLabel(why) });
    return at(before, { ...stage, pause: undefined });
  }
  // No payload could hold it: it would not even get to its check.
  if (before.plan === undefined && isNestedDeeper(run.asked, DEEPEST_REQUEST)) {
    const message = `request is nested deeper than ${DEEPEST_REQUEST} levels`;
    return fail(before, { type: 'INVALID_REQUEST', message });
  }
  const { state, taskId } = await look(run, before);
  if (taskId !== undefined) return adopt(state, taskId);
  const doubt = doubtAbout(state);
  if (doubt !== undefined) return waitForRecord(state, stage, doubt);
  const next = await submitNow(state, stage, run);
  if (next.stage.at !== 'done' || next.stage.end.kind !== 'failed') return next;
  // One that is refused for good ends the run only where no task has come meanwhile.
  const last = await look(run, next);
  if (last.taskId !== undefined) return adopt(last.state, last.taskId);
  return next.stage.end.type === 'SUBMISSION_UNKNOWN' ? inDoubt(last.state) : last.state;
}

/** While a task that may be the one cannot be read, nothing is bought. */
function waitForRecord(state: State, stage: Submitting, doubt: string): State {
  const { doubtUntil = Date.now() + policyOf(state).deadline } = stage;
  if (Date.now() >= doubtUntil)
    return fail(inDoubt(state), { type: 'SUBMISSION_UNKNOWN', message: `nothing is bought again: ${doubt}` });
  const pause = { until: Math.min(nextLookAt(state), doubtUntil), why: `before another submit: ${doubt}` };
  return at(state, { at: 'submit', doubtUntil, pause });
}

/** A time-out after the submit began is an unknown outcome, not a failure. */
async function submitNow(before: State, stage: Submitting, run: Run): Promise<State> {
  const times = before.plan?.policy.submit ?? submitTimes(run.request.policy);
  const input = submitInput(run, before);
  const since = Date.now();
  try {
    return await takeIn(run, before, stage, await callSubmit(run, times, words(before, stage, run), input));
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const { cause, activityId, retryState } = error;
    if (cause instanceof TimeoutFailure && cause.timeoutType !== TimeoutType.SCHEDULE_TO_START) {
      const reason = 'the worker that submitted was lost before it could report';
      const submit = activityId === undefined ? undefined : { activityId };
      return await takeIn(run, before, stage, { kind: 'unknown', reason, since, inFlight: true, submit });
    }
    if (!(cause instanceof ApplicationFailure)) throw error;
    // An attempt that has failed bought nothing, and it may have been about to be tried again.
    if (retryState === 'CANCEL_REQUESTED') throw new CancelledFailure('the submit was cancelled');
    const told = cause.details?.[0] as Partial<RejectionDetails> | undefined; // thrown by to-failure.ts
    const state = withNews(run, before);
    return afterRejection(run, state, { ...told, code: cause.type ?? 'UNKNOWN', message: cause.message });
  }
}

async function takeIn(run: Run, before: State, stage: Submitting, told: SubmitTaskResult): Promise<State> {
  const { plan = before.plan, rerun = before.isRerun, lookedBack = before.lookedBack, ...end } = told;
  const state: State = { ...withNews(run, before), plan, isRerun: rerun, lookedBack };
  switch (end.kind) {
    case 'accepted': {
      const { kind: _, foreign, ...task } = end;
      return hold(withForeign(state, task.taskId, foreign), task);
    }
    case 'completed': {
      // An earlier run had come to this: from here on the task is found by this one.
      const { attempts, usage: _, charged, ...result } = end.result;
      const stage = { at: 'done', end: { kind: 'completed', result }, charged } as const;
      const told = new Set(attempts.map(({ taskId }) => taskId));
      const own = state.attempts.filter(({ taskId }) => taskId === null || !told.has(taskId));
      return { ...state, attempts: [...own, ...attempts], stage };
    }
    case 'checked':
      return at(state, stage);
    case 'forgotten':
      return state.gaveUp === undefined
        ? at(state, stage)
        : lookFor(state, { ...state.gaveUp.unknown, reason: end.reason });
    case 'unknown':
      break;
  }
  return plan === undefined ? await afterUnchecked(run, state, end) : lookFor(state, end);
}

/** A submit that was rejected for good: waits for credits, tries a new seed, or fails. Nothing was bought. */
function afterRejection(
  { request }: Run,
  before: State,
  { code, message, errors, available, plan = before.plan, lookedBack = before.lookedBack }: RejectionDetails,
): State {
  const failure = { type: code, message, errors };
  // Its check has refused it, a budget or cap, there was nothing to take over, or a task may be the one: it was not sent.
  const isUnsent = ['BUDGET_EXCEEDED', 'SUBMISSION_UNKNOWN', request.adoptOnly?.type].includes(code);
  const isSent = plan !== undefined && !isUnsent;
  return isSent
    ? followPolicy({ ...before, plan, lookedBack }, 'submit', failure, available)
    : fail(before, failure);
}

/**
 * A submit that has told nothing, not even what the check of its request has come to: its worker was lost. What is to
 * follow hangs on the policy. A request that is refused now may have been right for that worker, so the submit stays in
 * doubt.
 */
async function afterUnchecked(run: Run, state: State, unknown: UnknownSubmit): Promise<State> {
  // A run that is being cancelled leaves its search on record as well.
  const checked = CancellationScope.nonCancellable(() => local.checkGeneration(run.asked));
  const check = await orElse<RequestCheck>(checked, (why) => ({
    ok: false,
    errors: [{ path: 'request', message: `cannot be checked: ${why}` }],
  }));
  if (check.ok) {
    const { ok: _, ...plan } = check;
    return lookFor({ ...state, plan }, unknown);
  }
  const { errors, plan } = check;
  if (plan !== undefined) return lookFor({ ...state, plan }, unknown);
  const message = `nobody can tell whether a task was bought: ${unknown.reason}; and the request is refused now: ${firstError(errors)}`;
  return fail(leaveSearch(run, state, unknown), { type: 'SUBMISSION_UNKNOWN', message, errors });
}

/** What a submit is told; a look for what earlier runs have bought, which a run may make that holds a task, is told the same. */
export function submitInput({ asked, request, firstRunId }: Run, state: State): SubmitTaskInput {
  const { plan, seed, resolvedUnknowns, gaveUp, lookedBack } = state;
  const parent = parentRun(request.earlierRun !== undefined);
  const known = { settledTaskIds: tasksOf(state), resolvedUnknowns, gaveUpAt: gaveUp?.at, lookedBack };
  return { request: asked, plan, seed, firstRunId, parent, ...known };
}

function words({ attempts: { length } }: State, { isRerun }: Submitting, { request }: Run): string {
  const { model, adoptOnly } = request;
  if (adoptOnly !== undefined) return 'take over what was bought';
  if (isRerun) return `take over what was bought, or buy ${model}`;
  return length === 0 ? `submit ${model}` : `submit ${model}, attempt ${length + 1}`;
}
