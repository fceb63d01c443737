import { condition } from '@temporalio/workflow';
import { cutLabel } from '../../contract/summary.ts';
import { longestPause } from '../../policy/look-pace.ts';
import { endOf, find, putIn, withdraw } from './claim.ts';
import { lookAtEarlierRuns } from './earlier-runs.ts';
import { lookAt } from './look.ts';
import { answered, obey, whyNotAdopted } from './obey.ts';
import { noteOf, pendingDecision } from './projections.ts';
import type { Asking, AskingAboutSubmit, AskingAboutTask, Search } from './stage.ts';
import { at, isLookedAt, policyOf, type Run, type State, withNews } from './state.ts';
import { adoptFound, endSearch, SEARCHING, waitOn } from './transitions.ts';
import { afterVanished } from './wait.ts';

/** The claim of a run that asks is put in again, in case that nobody knows of it any more: first after ten waits. */
const FIRST_PAUSE = 10;
/** Then rarer and rarer, but at least so often (milliseconds). */
const LONGEST_PAUSE = 6 * 60 * 60_000;

/**
 * Asks a person about a submit, unless an earlier run has got a task.
 *
 * @param why what is known of a task that may be the one
 */
export async function beginAsking(run: Run, before: State, search: Search, why?: string): Promise<State> {
  const looked = await lookAtEarlierRuns(run, before);
  const taken = await endOf(run, looked, search);
  if (taken !== undefined) return taken;
  const { state } = looked;
  const pause = FIRST_PAUSE * policyOf(state).reconcile.wait;
  return at(state, { at: 'ask', search, pause, renewAt: Date.now() + pause, why });
}

/** A person is asked, and the run goes on looking meanwhile. */
export async function ask(state: State, stage: Asking, run: Run): Promise<State> {
  return 'search' in stage ? await askAboutSubmit(run, state, stage) : await askAboutTask(run, state, stage);
}

/** The one line that a run that asks shows on the UI's first page, which has nothing but timers and activities. */
const lineOf = (state: State): string =>
  cutLabel(`needs a decision (update "decide"): ${noteOf(state) ?? ''}`);

/** What to do about a submit of which nobody can tell whether it has bought a task. */
async function askAboutSubmit(run: Run, before: State, stage: AskingAboutSubmit): Promise<State> {
  const { search, renewAt } = stage;
  // The claim of a run that goes on for another is put in for itself: it is this one that is to be told.
  if (search.claim === 'not yet') return at(before, { ...stage, search: await putIn(run, before, search) });
  const isOver = (now: State): boolean => pendingDecision(now) !== undefined || isLookedAt(now);
  const enough = (): boolean => isOver(run.now()) || run.isInterrupted();
  const found = await find(run, before, search, { until: renewAt, enough, summary: lineOf(before) });
  const { state } = found;
  // What was bought since counts before what was decided.
  if (run.resets.isReset) return state;
  const decided = pendingDecision(run.now());
  if (decided !== undefined) return await obey(run, state, stage, decided);
  const end = await endOf(run, found, search);
  if (end !== undefined) return end;
  if (run.isToContinue()) return state;
  // The entity tells what that comes to.
  if (isLookedAt(run.now())) return at(state, { ...SEARCHING, search, pause: 0, until: Date.now() });
  return await lookOn(run, state, stage);
}

async function lookOn(run: Run, before: State, stage: AskingAboutSubmit): Promise<State> {
  const { unknown } = stage.search;
  const looked = await lookAtEarlierRuns(run, before);
  const taken = await endOf(run, looked, stage.search);
  if (taken !== undefined) return taken;
  const { state } = looked;
  const pause = Math.min(1.5 * stage.pause, LONGEST_PAUSE);
  const renewAt = Date.now() + pause;
  const search = await putIn(run, state, stage.search);
  const next: AskingAboutSubmit = { ...stage, search, pause, renewAt };
  // Whoever asks only because of a task that may be the one goes on by the policy where it is not.
  const otherwise = unknown.stored === true ? 'ask' : policyOf(state).reconcile.otherwise;
  if (otherwise === 'ask' || pendingDecision(run.now()) !== undefined) return at(state, next);
  const { end, search: left, askedAt } = await withdraw(run, withNews(run, state), search, 'give up');
  if (end.kind === 'granted') return adoptFound(run, state, unknown, end.taskId);
  if (end.kind === 'gone') return endSearch(run, state, unknown, { kind: otherwise, askedAt });
  return at(state, { ...next, search: left, ...('why' in end ? { why: end.why } : {}) });
}

/** What to do about a task that the API does not know any more. */
async function askAboutTask(run: Run, before: State, { wait }: AskingAboutTask): Promise<State> {
  const { task } = wait;
  const enough = (): boolean => pendingDecision(run.now()) !== undefined || run.resets.isReset;
  await condition(enough, longestPause(policyOf(before).polling), { summary: lineOf(before) });
  if (run.resets.isReset) return before;
  const decided = pendingDecision(run.now());
  if (decided !== undefined && decided.action !== 'resubmit') {
    const refusal = await whyNotAdopted(run, decided);
    return refusal === undefined
      ? afterVanished(run, before, task, decided)
      : answered(run, before, { refusal });
  }
  // Nothing is bought without a last look.
  const { state, found } = await lookAt(run, before, task.taskId, 'record');
  if (run.resets.isReset) return state;
  if (found.kind === 'not-found')
    return decided === undefined ? state : afterVanished(run, state, task, decided);
  const isUnread = found.kind === 'unavailable' || found.kind === 'lost';
  const next = isUnread ? state : at(state, waitOn(state, { ...wait, missing: undefined }, 0));
  if (decided === undefined) return next;
  return isUnread
    ? answered(run, next, {
        refusal: `nothing is bought again yet: task ${task.taskId} cannot be looked at: ${found.reason}`,
      })
    : answered(run, next, { note: `task ${task.taskId} is there again: it is taken instead` });
}
