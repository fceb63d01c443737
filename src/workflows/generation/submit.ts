import { TimeoutType } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
  sleep,
  TimeoutFailure,
} from '@temporalio/workflow';
import { isNestedDeeper } from '../../api/json/nesting.ts';
import { DEEPEST_REQUEST } from '../../contract/limits.ts';
import type {
  RejectionDetails,
  SubmitTaskInput,
  SubmitTaskResult,
} from '../../contract/tasks/submit-task.ts';
import { submitTimes } from '../../policy/submit-times.ts';
import { parentRun } from '../parent-run.ts';
import { callSubmit, summary } from './activities.ts';
import { afterRejection, afterUnchecked } from './after-submit.ts';
import { tasksOf, withForeign } from './attempts.ts';
import { doubtAbout, isDue, type Looked, look, nextLookAt } from './evidence.ts';
import type { Submitting } from './stage.ts';
import { at, policyOf, type Run, type State, withNews } from './state.ts';
import { adopt, fail, hold, lookFor } from './transitions.ts';

/**
 * Submits once (rejections that the policy paces in place are Temporal's to retry), after what keeps it from that: a pause,
 * a task that may be the one already.
 */
export async function submit(before: State, stage: Submitting, run: Run): Promise<State> {
  if (stage.pause !== undefined) {
    const { until, why } = stage.pause;
    await sleep(Math.max(1, until - Date.now()), { summary: summary(why) });
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
  return await unlessFound(run, state, () => submitNow(state, stage, run));
}

/** While a task that may be the one cannot be read, nothing is bought. */
function waitForRecord(state: State, stage: Submitting, doubt: string): State {
  const { doubtUntil = Date.now() + policyOf(state).deadline } = stage;
  if (Date.now() >= doubtUntil)
    return fail(state, { type: 'SUBMISSION_UNKNOWN', message: `nothing is bought again: ${doubt}` });
  const pause = { until: Math.min(nextLookAt(state), doubtUntil), why: `before another submit: ${doubt}` };
  return at(state, { at: 'submit', doubtUntil, pause });
}

/**
 * Submits, again and again where the policy paces refusals in place, unless the task of a submit that was given up comes
 * meanwhile: then nothing more is sent. What a request in flight buys is taken all the same; one that is refused for good
 * ends the run only where no task has come.
 */
async function unlessFound(run: Run, state: State, submitting: () => Promise<State>): Promise<State> {
  if (state.resolvedUnknowns.length === 0) return await submitting();
  const scope = new CancellationScope();
  const submit = { isOver: false };
  let found: Looked = { state };
  const now = (): State => withNews(run, found.state);
  const submitted = scope.run(submitting).finally(() => {
    submit.isOver = true;
  });
  submitted.catch(() => undefined); // it is awaited below
  // A run that is being cancelled waits for the answer of a request in flight here, too.
  await CancellationScope.nonCancellable(async () => {
    while (!submit.isOver && found.taskId === undefined) {
      const pause = nextLookAt(now()) - Date.now();
      const isNeeded = (): boolean => submit.isOver || isDue(now());
      if (!Number.isFinite(pause)) await condition(isNeeded);
      else if (pause > 0) await condition(isNeeded, pause);
      if (!submit.isOver) found = await look(run, found.state);
    }
  });
  const { taskId } = found;
  if (!submit.isOver && taskId !== undefined) scope.cancel();
  try {
    const next = { ...(await submitted), evidence: found.state.evidence };
    const isRefused = next.stage.at === 'done' && next.stage.end.kind === 'failed';
    const last = isRefused && taskId === undefined ? await look(run, next) : { state: next, taskId };
    return isRefused && last.taskId !== undefined ? adopt(last.state, last.taskId) : last.state;
  } catch (error) {
    if (taskId === undefined || !isCancellation(error)) throw error;
    return adopt(found.state, taskId);
  }
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
      return { ...state, attempts: [...own, ...attempts], doubts: [], stage };
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

/** What a submit is told; a look for what earlier runs have bought, which a run may make that holds a task, is told the same. */
export function submitInput({ asked, request, firstRunId }: Run, state: State): SubmitTaskInput {
  const { plan, seed, resolvedUnknowns, gaveUp, lookedBack } = state;
  const parent = parentRun(request.earlierRun !== undefined);
  const known = { settledTaskIds: tasksOf(state), resolvedUnknowns, gaveUpAt: gaveUp?.at, lookedBack };
  return { request: asked, plan, seed, firstRunId, parent, ...known };
}

function words({ attempts }: State, { isRerun }: Submitting, { request }: Run): string {
  const { model, adoptOnly } = request;
  if (adoptOnly !== undefined) return 'take over what was bought';
  if (isRerun) return `take over what was bought, or buy ${model}`;
  return attempts.length === 0 ? `submit ${model}` : `submit ${model}, attempt ${attempts.length + 1}`;
}
