import { condition } from '@temporalio/workflow';
import { ERROR_PREFIX } from '../../api/family.ts';
import type { Decision } from '../../contract/generation.ts';
import { cutLabel } from '../../contract/summary.ts';
import type { TaskLook } from '../../contract/tasks/task-look.ts';
import { formatDuration } from '../../policy/duration.ts';
import { longestPause } from '../../policy/look-pace.ts';
import { triedAgain, triedFor } from '../../policy/patience.ts';
import { settle } from './attempts.ts';
import { type Look, lookAt } from './look.ts';
import type { HeldTask, Waiting } from './stage.ts';
import { at, newsOf, planOf, policyOf, type Run, type State } from './state.ts';
import { storeOrEnd } from './store.ts';
import { adopt, deadlineOf, fail, followPolicy, waitOn } from './transitions.ts';

/** A terminal event whose record is not terminal yet is looked at again this soon, at most (milliseconds). */
const EARLY_EVENT_RECHECK = 2_000;
/** After so many looks in a row that told nothing people are to see it; at once where only a person can end it. */
const SHOWN_FROM = 3;
const ENDED_BY_PEOPLE: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'FORBIDDEN', 'NO_KEY']);
/** How long the last GET is tried for while it is not answered, in longest polling intervals; at least `vanished.wait`. */
const LAST_GETS = 3;
/** At most for as long as the deadline was, or so many milliseconds. */
const SHORT_OUTAGE = 10_000;
/** So many tasks of a run may vanish and be bought again, whatever the policy says: then a person is asked. */
const MAX_VANISHED = 5;

/**
 * Waits for a task's terminal record, and looks once. A webhook's signal, the next poll and the deadline are one wait;
 * whatever ends it, one GET decides. Before the run gives up there is one last GET, which has to be answered: the deadline
 * may have passed while no worker was there to look.
 */
export async function wait(before: State, stage: Waiting, run: Run): Promise<State> {
  const { task, openAt, unread } = stage;
  const hasNews = await untilNextLook(before, stage, run);
  const seen = newsOf(run.now().heard, task.taskId);
  const now = Date.now();
  const age = now - task.heldAt;
  const isLast = now >= deadlineOf(before, task);
  const end = task.adopted ? undefined : { age, told: seen > 0, openAt };
  const how = unread === undefined ? 'soon' : 'record';
  const { state, found } = await lookAt(run, before, task.taskId, how, end);
  if (found.kind === 'completed' || found.kind === 'ended') {
    const ended = { ...task, usage: found.usage };
    return found.kind === 'completed'
      ? storeOrEnd(run, state, { task: ended, report: found.files })
      : afterVain(run, state, ended, found);
  }
  const next = withLook({ ...stage, seen, newsAt: hasNews ? Date.now() : stage.newsAt }, found, age);
  return goOnWaiting(run, state, next, found, { hasNews, isLast });
}

/** @returns whether an event of the task's end has come */
async function untilNextLook(state: State, stage: Waiting, run: Run): Promise<boolean> {
  const { nextAt, seen, newsAt = -EARLY_EVENT_RECHECK } = stage;
  const { taskId } = stage.task;
  const now = Date.now();
  // Whoever knows the task's id can send events without end: they wake the run, but not all the time.
  const wakes = now - newsAt >= EARLY_EVENT_RECHECK;
  const hasNews = (): boolean => wakes && newsOf(run.now().heard, taskId) > seen;
  const isAsked = (): boolean => run.now().heard.looks > state.looked;
  if (nextAt > now)
    await condition(() => hasNews() || isAsked(), nextAt - now, {
      summary: cutLabel(`next poll of ${taskId} in ${formatDuration(nextAt - now)}`),
    });
  return hasNews();
}

type Unsettled = Exclude<Look, { kind: 'completed' | 'ended' }>;

/** The same wait, with what a look has told that has not settled the task. */
function withLook(before: Waiting, found: Unsettled, age: number): Waiting {
  const stage: Waiting = { ...before, unread: undefined };
  if (found.kind === 'not-found')
    return { ...stage, missing: triedAgain(before.missing, Date.now(), before.pause) };
  if (found.kind === 'open') {
    const { task } = stage;
    // A record that is not settled may not tell its price yet.
    const usage = found.usage.total > 0 ? found.usage : task.usage;
    const outlook = found.outlook ?? task.outlook;
    return { ...stage, missing: undefined, openAt: age, task: { ...task, usage, outlook } };
  }
  // A look that was not answered does not tell that the task is there.
  const { since = Date.now(), times = 0 } = before.unread ?? {};
  const isShown =
    times + 1 >= SHOWN_FROM || (found.kind === 'unavailable' && ENDED_BY_PEOPLE.has(found.code));
  return { ...stage, unread: { since, reason: found.reason, times: times + 1, isShown } };
}

function goOnWaiting(
  run: Run,
  state: State,
  stage: Waiting,
  found: Unsettled,
  { hasNews, isLast }: { hasNews: boolean; isLast: boolean },
): State {
  const { vanished, polling, deadline } = policyOf(state);
  const { task, missing, unread } = stage;
  if (missing !== undefined && triedFor(missing) >= vanished.wait)
    return askOrEnd(run, state, stage, found.kind === 'not-found' && found.everything === true);
  let { late } = stage;
  if (isLast) {
    late = triedAgain(late, Date.now(), stage.pause);
    const most = Math.max(deadline, SHORT_OUTAGE);
    const patience = Math.min(most, Math.max(LAST_GETS * longestPause(polling), vanished.wait));
    if (found.kind === 'open' || triedFor(late) >= patience) return afterOverdue(state, task, unread);
  }
  const next: Waiting = { ...stage, late, quietPolls: stage.quietPolls + (stage.pause > 0 ? 1 : 0) };
  let { pause } = waitOn(state, next);
  if (hasNews) pause = Math.min(pause, EARLY_EVENT_RECHECK);
  if (found.kind === 'unavailable') pause = Math.max(pause, found.retryAfter ?? 0);
  return at(state, waitOn(state, next, pause));
}

/**
 * A task that the API does not know any more. Where other tasks of the workspace are gone as well (`everything`), nobody
 * buys again by himself, whatever the policy says: it is the key or the API.
 */
function askOrEnd(run: Run, state: State, wait: Waiting, everything: boolean): State {
  const { task } = wait;
  const vanished = state.attempts.filter(({ outcome }) => outcome === 'vanished').length;
  if (policyOf(state).reconcile.otherwise !== 'ask' && !everything && vanished < MAX_VANISHED)
    return afterVanished(run, state, task);
  const why = everything
    ? `the API no longer knows task ${task.taskId}, nor others of workspace ${run.workspace}: check its API key and DARKROOM_API_URL. The run goes on when the task is there again`
    : `the API no longer knows task ${task.taskId}`;
  return at(state, { at: 'ask', why, wait });
}

/** What follows a task that has failed, or was canceled: another one after a pause, or once there are credits, or the end. */
function afterVain(
  run: Run,
  before: State,
  task: HeldTask,
  look: Extract<TaskLook, { kind: 'ended' }>,
): State {
  const { taskId } = task;
  if (look.status === 'CANCELED') {
    const how = "was canceled on the API's side";
    const failure = { type: 'TASK_CANCELED', message: `task ${taskId} ${how}` };
    const state = settle(before, task, 'canceled', look.code);
    return refuseAnother(run, state, taskId, how) ?? fail(state, failure);
  }
  const code = look.code ?? `${ERROR_PREFIX[planOf(before).family]}_FAILED`;
  const message = look.message ?? `task ${taskId} failed with ${code}`;
  const state = settle(before, task, 'failed', code);
  return (
    refuseAnother(run, state, taskId, `has failed (${message})`) ??
    followPolicy(state, 'task', { type: code, message })
  );
}

function afterOverdue(state: State, task: HeldTask, unread: Waiting['unread']): State {
  const aside =
    unread &&
    `; its record could not be read since ${new Date(unread.since).toISOString()}: ${unread.reason}`;
  return fail(settle(state, task, 'overdue'), {
    type: 'TASK_OVERDUE',
    message: `task ${task.taskId} has not ended within its deadline${aside ?? ''}; a Reset adopts it if it still does`,
  });
}

/** The API does not know a task that we hold: as with an unknown submit, a person, a resubmit, or the end. */
export function afterVanished(run: Run, before: State, task: HeldTask, decision?: Decision): State {
  const { taskId } = task;
  const state = settle(before, task, 'vanished');
  if (decision?.action === 'adopt' && decision.taskId !== undefined) return adopt(state, decision.taskId);
  const action = decision?.action ?? policyOf(state).reconcile.otherwise;
  if (action === 'resubmit') return { ...at(state, { at: 'submit' }), unknowns: 0 };
  return (
    refuseAnother(run, state, taskId, 'is no longer known to the API') ??
    fail(state, { type: 'TASK_VANISHED', message: `the API no longer knows task ${taskId}` })
  );
}

/** Where nothing may be bought, what was taken over and has come to nothing ends the run, with the reason for that. */
function refuseAnother({ request }: Run, state: State, taskId: string, how: string): State | undefined {
  const { adoptOnly } = request;
  if (adoptOnly === undefined) return undefined;
  const message = `task ${taskId}, which was taken over, ${how}; another one: ${adoptOnly.message}`;
  return fail(state, { type: adoptOnly.type, message });
}
