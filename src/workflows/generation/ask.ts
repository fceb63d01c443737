import { condition } from '@temporalio/workflow';
import { shown } from '../../api/text/shown.ts';
import { whyNotOurs } from '../../contract/entities/task-notices.ts';
import type { Decision } from '../../contract/generation.ts';
import { cutLabel } from '../../contract/summary.ts';
import { longestPause } from '../../policy/look-pace.ts';
import { takeName } from './activities.ts';
import { withForeign } from './attempts.ts';
import { endOf, find, pauseBefore, putIn, withdraw } from './claim.ts';
import { lookAtEarlierRuns } from './earlier-runs.ts';
import { lookAt } from './look.ts';
import { pendingDecision, viewOf } from './projections.ts';
import type { Asking, AskingAboutSubmit, AskingAboutTask, Search } from './stage.ts';
import { at, type HeardDecision, isLookedAt, policyOf, type Run, type State, withNews } from './state.ts';
import { adoptFound, endSearch, SEARCHING, type SearchEnd, waitOn } from './transitions.ts';
import { afterVanished } from './wait.ts';

/** The claim of a run that asks is put in again, in case that nobody knows of it any more: first after ten waits. */
const FIRST_PAUSE = 10;
/** Then rarer and rarer, but at least so often (milliseconds). */
const LONGEST_PAUSE = 6 * 60 * 60_000;
/** How often the claim is put in again before a decision is obeyed. */
const MAX_CLAIMS = 3;
/** How often the entity is asked again, about two minutes long, before the person who has decided is told why not. */
const MAX_ASKED = 10;

/**
 * Asks a person about a submit, unless an earlier run has got a task.
 *
 * @param why what is known of a task that may be the one
 */
export async function beginAsking(run: Run, before: State, search: Search, why?: string): Promise<State> {
  const looked = await lookAtEarlierRuns(run, before);
  const pause = FIRST_PAUSE * policyOf(before).reconcile.wait;
  const asking = { at: 'ask', search, pause, renewAt: Date.now() + pause, why } as const;
  return (await endOf(run, looked, search)) ?? at(looked.state, asking);
}

/** A person is asked, and the run goes on looking meanwhile. */
export async function ask(state: State, stage: Asking, run: Run): Promise<State> {
  return 'search' in stage ? await askAboutSubmit(run, state, stage) : await askAboutTask(run, state, stage);
}

/** The one line that a run that asks shows on the UI's first page, which has nothing but timers and activities. */
const lineOf = (state: State): string =>
  cutLabel(`needs a decision (update "decide"): ${viewOf(state).note ?? ''}`);

/** What to do about a submit of which nobody can tell whether it has bought a task. */
async function askAboutSubmit(run: Run, before: State, stage: AskingAboutSubmit): Promise<State> {
  const { search, renewAt } = stage;
  // The claim of a run that goes on for another is put in for itself: it is this one that is to be told.
  if (search.claim === 'not yet') return at(before, { ...stage, search: await putIn(run, before, search) });
  const isOver = (now: State): boolean => pendingDecision(now) !== undefined || isLookedAt(now);
  const enough = (): boolean => isOver(run.now()) || run.isInterrupted();
  const found = await find(run, before, search, renewAt, enough, lineOf(before));
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

/**
 * Does what a person has decided about a submit. "resubmit" is obeyed after a last look: by now the task may be there, and
 * is taken instead.
 */
async function obey(
  run: Run,
  before: State,
  stage: AskingAboutSubmit,
  decision: HeardDecision,
): Promise<State> {
  let state = before;
  let { search } = stage;
  const end = (as: SearchEnd, note?: string): State =>
    answered(run, endSearch(run, state, search.unknown, as), { note });
  const takeInstead = (taskId: string): State =>
    end({ kind: 'task', taskId }, `task ${taskId} was found: it is taken instead`);
  const refuse = (refusal: string, why = stage.why): State =>
    answered(run, at(state, { ...stage, search, why }), { refusal });
  if (decision.action !== 'resubmit') {
    const refusal = await whyNotAdopted(run, decision);
    if (refusal !== undefined) return refuse(refusal);
    const adopted = decision.action === 'adopt' ? decision.taskId : undefined;
    // One of another input is not what the submit has bought.
    const { foreign } = decision;
    const as = adopted === undefined || foreign ? 'abandon' : 'settled';
    const withdrawn = await withdraw(run, state, search, as);
    ({ search } = withdrawn);
    const { askedAt } = withdrawn;
    const found = withdrawn.end.kind === 'granted' ? withdrawn.end.taskId : undefined;
    if (adopted === undefined)
      return found === undefined ? end({ kind: 'fail', askedAt }) : takeInstead(found);
    const isOther = found !== undefined && found !== adopted;
    const kind = foreign || isOther ? 'another task' : 'task';
    state = withForeign(state, adopted, foreign);
    return end({ kind, taskId: adopted, askedAt }, isOther ? `task ${found} was found meanwhile` : undefined);
  }
  // What keeps the run from buying again is what others should know as well.
  const refuseToBuy = (why: string): State => {
    const refusal = `nothing is bought again yet: ${why}`;
    return refuse(refusal, refusal);
  };
  search = await putIn(run, state, search);
  for (let claims = 1, asked = 1, until = Date.now(); ; ) {
    const found = await find(run, state, search, until);
    ({ state } = found);
    const as = found.taskId === undefined ? 'buy again' : 'settled';
    const withdrawn = await withdraw(run, state, search, as);
    ({ search } = withdrawn);
    const { end: told, askedAt } = withdrawn;
    const taskId = told.kind === 'granted' ? told.taskId : found.taskId;
    if (taskId !== undefined) return takeInstead(taskId);
    if (told.kind === 'gone') return end({ kind: 'resubmit', askedAt });
    if (told.kind === 'not there') {
      if (claims === MAX_CLAIMS) return refuseToBuy('unclaimed-tasks has no room for another claim now');
      claims += 1;
      search = await putIn(run, state, search);
    } else if (told.kind === 'looking') {
      if (told.lasting || asked > MAX_ASKED) return refuseToBuy(told.why);
      until = Date.now() + pauseBefore(told.wait, asked);
      asked += 1;
    }
  }
}

/** Why a decision to adopt a task cannot be obeyed; undefined: it can, and the task's name is this run's from here on. */
async function whyNotAdopted(run: Run, { action, taskId }: Decision): Promise<string | undefined> {
  if (action !== 'adopt' || taskId === undefined) return undefined;
  const name = await takeName(run, taskId);
  return name.kind === 'ours'
    ? undefined
    : `task ${shown(taskId)} cannot be adopted now: ${whyNotOurs(name)}`;
}

/** The same run, where the latest decision is done, or refused. */
function answered(run: Run, state: State, answer: Omit<State['decided'], 'count'>): State {
  return { ...state, decided: { count: run.now().heard.decisions.count, ...answer } };
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
    if (refusal !== undefined) return answered(run, before, { refusal });
    const state = withForeign(before, decided.taskId, decided.foreign);
    return answered(run, afterVanished(run, state, task, decided), {});
  }
  // Nothing is bought without a last look.
  const { state, found } = await lookAt(run, before, task.taskId, 'record');
  if (run.resets.isReset) return state;
  if (found.kind === 'not-found')
    return decided === undefined ? state : answered(run, afterVanished(run, state, task, decided), {});
  const isUnread = found.kind === 'unavailable' || found.kind === 'lost';
  const next = isUnread ? state : at(state, waitOn(state, { ...wait, missing: undefined }, 0));
  if (decided === undefined) return next;
  return isUnread
    ? answered(run, next, {
        refusal: `nothing is bought again yet: task ${task.taskId} cannot be looked at: ${found.reason}`,
      })
    : answered(run, next, { note: `task ${task.taskId} is there again: it is taken instead` });
}
