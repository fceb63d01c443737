import { condition } from '@temporalio/workflow';
import type { Decision } from '../../contract/generation.ts';
import { longestPause } from '../../policy/look-pace.ts';
import { summary } from './activities.ts';
import { afterVanished } from './after-task.ts';
import { lookAtEarlierRuns } from './begin-asking.ts';
import { endOf, find, putIn, withdraw } from './claim.ts';
import { doubtAbout } from './evidence.ts';
import { lookAt } from './look.ts';
import { obey } from './obey.ts';
import { noteOf, pendingDecision } from './projections.ts';
import type { Asking, AskingAboutSubmit, AskingAboutTask, Run, State } from './state.ts';
import { at, policyOf, withNews } from './state.ts';
import { adoptFound, endSearch, waitOn } from './transitions.ts';

/** The claim is put in again rarer and rarer, but at least so often (milliseconds). */
const LONGEST_PAUSE = 6 * 60 * 60_000;

/** A person is asked, and the run goes on looking meanwhile. */
export async function ask(state: State, stage: Asking, run: Run): Promise<State> {
  const decision = (): Decision | undefined => pendingDecision(run.now());
  // The one line that a run that asks shows on the UI's first page, which has nothing but timers and activities.
  const line = summary(`needs a decision (update "decide"): ${noteOf(state) ?? ''}`);
  return 'search' in stage
    ? await askAboutSubmit(run, state, stage, { decision, line })
    : await askAboutTask(run, state, stage, { decision, line });
}

interface Question {
  decision: () => Decision | undefined;
  line: string;
}

/** What to do about a submit of which nobody can tell whether it has bought a task. */
async function askAboutSubmit(
  run: Run,
  before: State,
  stage: AskingAboutSubmit,
  { decision, line }: Question,
): Promise<State> {
  const { search } = stage;
  // The claim of a run that goes on for another is put in for itself: it is this one that is to be told.
  if (search.claim === 'not yet') return at(before, { ...stage, search: await putIn(run, before, search) });
  const enough = (): boolean => decision() !== undefined || run.isToContinue();
  const found = await find(run, before, search, { until: stage.renewAt, enough, summary: line });
  const { state } = found;
  const decided = decision();
  if (decided !== undefined) return await obey(run, state, stage, decided);
  const end = await endOf(run, found, search);
  if (end !== undefined) return end;
  return run.isToContinue() ? state : await lookOn(run, state, stage);
}

async function lookOn(run: Run, before: State, stage: AskingAboutSubmit): Promise<State> {
  const { unknown } = stage.search;
  const { state, end: taken } = await lookAtEarlierRuns(run, before, stage.search);
  if (taken !== undefined) return taken;
  const otherwise = unknown.stored === true ? 'ask' : policyOf(state).reconcile.otherwise;
  const pause = Math.min(1.5 * stage.pause, LONGEST_PAUSE);
  const renewAt = Date.now() + pause;
  const search = await putIn(run, state, stage.search);
  const next: AskingAboutSubmit = { ...stage, search, pause, renewAt };
  // Whoever asks only because of a task that may be the one goes on by the policy where it is not.
  const doubt = doubtAbout(withNews(run, state));
  const isOpen = otherwise === 'ask' || doubt !== undefined || pendingDecision(run.now()) !== undefined;
  if (isOpen) return at(state, next);
  const { end, search: left, askedAt } = await withdraw(run, state, search, 'give up');
  if (end.kind === 'granted') return adoptFound(run, state, unknown, end.taskId);
  if (end.kind === 'gone') return endSearch(run, state, unknown, { kind: otherwise, askedAt });
  return at(state, { ...next, search: left, ...('why' in end ? { why: end.why } : {}) });
}

/** What to do about a task that the API does not know any more. */
async function askAboutTask(
  run: Run,
  state: State,
  stage: AskingAboutTask,
  { decision, line }: Question,
): Promise<State> {
  const { wait } = stage;
  const isDecided = (): boolean => decision() !== undefined;
  await condition(isDecided, longestPause(policyOf(state).polling), { summary: line });
  const decided = decision();
  if (decided !== undefined) return afterVanished(run, state, stage, decided);
  const again = await lookAt(run, wait.task.taskId, 'record');
  if (again.kind !== 'open' && again.kind !== 'completed' && again.kind !== 'ended') return state;
  return at(state, waitOn(withNews(run, state), { ...wait, missing: undefined }, 0));
}
