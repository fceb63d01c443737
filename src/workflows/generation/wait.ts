import { condition } from '@temporalio/workflow';
import { longestPause } from '../../policy/look-pace.ts';
import { triedAgain, triedFor } from '../../policy/patience.ts';
import { formatDuration, summary } from './activities.ts';
import { afterOverdue, afterVain, afterVanished } from './after-task.ts';
import { newsOf } from './heard.ts';
import { type Look, lookAt } from './look.ts';
import type { SettledBy, Waiting } from './stage.ts';
import { at, policyOf, type Run, type State, withNews } from './state.ts';
import { storeOrEnd } from './store.ts';
import { waitOn } from './transitions.ts';

/** A terminal event whose record is not terminal yet is looked at again this soon, at most (milliseconds). */
const EARLY_EVENT_RECHECK = 2_000;
/** After so many looks in a row that told nothing people are to see it; at once where only a person can end it. */
const SHOWN_FROM = 3;
const ENDED_BY_PEOPLE: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'FORBIDDEN', 'NO_KEY']);
/** How long the last GET is tried for while it is not answered, in longest polling intervals; at least `vanished.wait`. */
const LAST_GETS = 3;
/** So many tasks of a run may vanish and be bought again, whatever the policy says: then a person is asked. */
const MAX_VANISHED = 5;

/**
 * Waits for a task's terminal record, and looks once. A webhook's signal, the next poll and the deadline are one wait;
 * whatever ends it, one GET decides. Before the run gives up there is one last GET, which has to be answered: the deadline
 * may have passed while no worker was there to look.
 */
export async function wait(before: State, stage: Waiting, run: Run): Promise<State> {
  const { task, deadlineAt, openAt, unread } = stage;
  const { taskId } = task;
  const { deadline } = policyOf(before);
  const news = await untilNextLook(before, stage, run);
  const asked = withNews(run, before);
  const seen = newsOf(asked.heard, taskId);
  const isLast = Date.now() >= deadlineAt;
  const age = Date.now() - (deadlineAt - deadline);
  const end = task.adopted ? undefined : { age, told: seen > 0, openAt };
  const found = await lookAt(run, taskId, unread === undefined ? 'soon' : 'record', end);
  const isRerun = found.rerun ?? before.isRerun;
  const state: State = { ...withNews(run, before), looked: asked.heard.looks, isRerun };
  const settledBy = newsOf(state.heard, taskId) > 0 ? 'webhook' : 'poll';
  if (found.kind === 'completed' || found.kind === 'ended') {
    const ended = { ...task, usage: found.usage };
    return found.kind === 'completed'
      ? storeOrEnd(run, state, { task: ended, settledBy, report: found.files })
      : afterVain(run, state, ended, found, settledBy);
  }
  const seenNow: Waiting = { ...stage, seen, newsAt: news ? Date.now() : stage.newsAt };
  const judged = judge(seenNow, found, age);
  return goOnWaiting(run, state, judged, { found, news, isLast, settledBy });
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
      summary: summary(`next poll of ${taskId} in ${formatDuration(nextAt - now)}`),
    });
  return hasNews();
}

type Unsettled = Exclude<Look, { kind: 'completed' | 'ended' }>;

/** Takes in a look that has not settled the task. */
function judge(before: Waiting, found: Unsettled, age: number): Waiting {
  // A look that was not answered does not tell that the task is there.
  const stage: Waiting = { ...before, unread: undefined };
  if (found.kind === 'not-found')
    return { ...stage, missing: triedAgain(before.missing, Date.now(), before.pause) };
  if (found.kind === 'open') {
    const { task } = stage;
    // A record that is not settled may not tell its price yet.
    const usage = found.usage.total > 0 ? found.usage : task.usage;
    return {
      ...stage,
      missing: undefined,
      openAt: age,
      task: { ...task, usage, outlook: found.outlook ?? task.outlook },
    };
  }
  const { since = Date.now(), times = 0 } = before.unread ?? {};
  const isShown =
    times + 1 >= SHOWN_FROM || (found.kind === 'unavailable' && ENDED_BY_PEOPLE.has(found.code));
  return { ...stage, unread: { since, reason: found.reason, times: times + 1, isShown } };
}

function goOnWaiting(
  run: Run,
  state: State,
  stage: Waiting,
  {
    found,
    news,
    isLast,
    settledBy,
  }: { found: Unsettled; news: boolean; isLast: boolean; settledBy: SettledBy },
): State {
  const { vanished, polling } = policyOf(state);
  const { missing } = stage;
  if (missing !== undefined && triedFor(missing) >= vanished.wait)
    return askOrEnd(run, state, stage, found, settledBy);
  const late = isLast ? triedAgain(stage.late, Date.now(), stage.pause) : stage.late;
  if (isLast && late !== undefined) {
    const patience = Math.max(LAST_GETS * longestPause(polling), vanished.wait);
    const isOver = found.kind === 'open' || triedFor(late) >= patience;
    if (isOver) return afterOverdue(state, stage, settledBy);
  }
  const next: Waiting = { ...stage, late, quietPolls: stage.quietPolls + (stage.pause > 0 ? 1 : 0) };
  let { pause } = waitOn(state, next);
  if (news) pause = Math.min(pause, EARLY_EVENT_RECHECK);
  if (found.kind === 'unavailable') pause = Math.max(pause, found.retryAfter ?? 0);
  return at(state, waitOn(state, next, pause));
}

/**
 * A task that the API does not know any more. Where other tasks of the workspace are gone as well, nobody buys again
 * by himself, whatever the policy says: it is the key or the API.
 */
function askOrEnd(run: Run, state: State, wait: Waiting, found: Unsettled, settledBy: SettledBy): State {
  const { taskId } = wait.task;
  const everything = found.kind === 'not-found' && found.everything === true;
  const vanished = state.attempts.filter(({ outcome }) => outcome === 'vanished').length;
  if (policyOf(state).reconcile.otherwise !== 'ask' && !everything && vanished < MAX_VANISHED)
    return afterVanished(run, state, { wait, settledBy });
  const why = everything
    ? `the API no longer knows task ${taskId}, nor others of workspace ${run.workspace}: check its API key and DARKROOM_API_URL. The run goes on when the task is there again`
    : `the API no longer knows task ${taskId}`;
  return at(state, { at: 'ask', why, settledBy, wait });
}
