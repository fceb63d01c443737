import { shown } from '../../api/text/shown.ts';
import { whyNotOurs } from '../../contract/entities/task-notices.ts';
import type { Decision } from '../../contract/generation.ts';
import { takeName } from './activities.ts';
import { find, pauseBefore, putIn, withdraw } from './claim.ts';
import type { AskingAboutSubmit, Search } from './stage.ts';
import { at, type Run, type State } from './state.ts';
import { endSearch, type SearchEnd } from './transitions.ts';

/** How often the claim is put in again before a decision is obeyed. */
const MAX_CLAIMS = 3;
/** How often the entity is asked again, about two minutes long, before the person who has decided is told why not. */
const MAX_ASKED = 10;

/** What a decision comes to: what follows, or why not; and what the person who decided has to know. */
interface Obeyed {
  state: State;
  search: Search;
  end: SearchEnd | { kind: 'refused'; why: string };
  note?: string | undefined;
}

/** The same run, where the latest decision is done, or refused. */
export function answered(run: Run, state: State, answer: Omit<State['decided'], 'count'>): State {
  return { ...state, decided: { count: run.now().heard.decisions.count, ...answer } };
}

/** Why a decision to adopt a task cannot be obeyed; undefined: it can, and the task's name is this run's from here on. */
export async function whyNotAdopted(run: Run, { action, taskId }: Decision): Promise<string | undefined> {
  if (action !== 'adopt' || taskId === undefined) return undefined;
  const name = await takeName(run, taskId);
  return name.kind === 'ours'
    ? undefined
    : `task ${shown(taskId)} cannot be adopted now: ${whyNotOurs(name)}`;
}

/**
 * Does what a person has decided about a submit. "resubmit" is obeyed after a last look: a task that is there by now is
 * taken instead.
 */
export async function obey(
  run: Run,
  before: State,
  stage: AskingAboutSubmit,
  decision: Decision,
): Promise<State> {
  const does = decision.action === 'resubmit' ? buyAgain : endWith;
  const { state, search, end, note } = await does(run, before, stage.search, decision);
  if (end.kind !== 'refused') return answered(run, endSearch(run, state, search.unknown, end), { note });
  // What keeps the run from buying again is what others should know as well.
  const why = decision.action === 'resubmit' ? end.why : stage.why;
  return answered(run, at(state, { ...stage, search, why }), { refusal: end.why });
}

async function endWith(run: Run, state: State, before: Search, decision: Decision): Promise<Obeyed> {
  const why = await whyNotAdopted(run, decision);
  if (why !== undefined) return { state, search: before, end: { kind: 'refused', why } };
  const { action, taskId } = decision;
  const adopted = action === 'adopt' ? taskId : undefined;
  // One of another input is not what the submit has bought.
  const isForeign = adopted !== undefined && run.now().heard.foreign.includes(adopted);
  const as = adopted === undefined || isForeign ? 'abandon' : 'settled';
  const { search, end, askedAt } = await withdraw(run, state, before, as);
  const found = end.kind === 'granted' ? end.taskId : undefined;
  if (adopted === undefined)
    return { state, search, ...(found === undefined ? { end: { kind: 'fail', askedAt } } : instead(found)) };
  const isOther = found !== undefined && found !== adopted;
  const note = isOther ? `task ${found} was found meanwhile` : undefined;
  const kind = isForeign || isOther ? 'another task' : 'task';
  return { state, search, end: { kind, taskId: adopted, askedAt }, note };
}

/** The last look: by now the task may be there, and somebody may know whose it is. */
async function buyAgain(run: Run, before: State, sought: Search): Promise<Obeyed> {
  let state = before;
  let search = await putIn(run, state, sought);
  for (let claims = 1, asked = 1, until = Date.now(); ; ) {
    const found = await find(run, state, search, { until });
    ({ state } = found);
    const as = found.taskId === undefined ? 'buy again' : 'settled';
    const withdrawn = await withdraw(run, state, search, as);
    ({ search } = withdrawn);
    const { end, askedAt } = withdrawn;
    const taskId = end.kind === 'granted' ? end.taskId : found.taskId;
    if (taskId !== undefined) return { state, search, ...instead(taskId) };
    if (end.kind === 'gone') return { state, search, end: { kind: 'resubmit', askedAt } };
    const refuse = (why: string): Obeyed => {
      return { state, search, end: { kind: 'refused', why: `nothing is bought again yet: ${why}` } };
    };
    if (end.kind === 'not there') {
      if (claims === MAX_CLAIMS) return refuse('unclaimed-tasks has no room for another claim now');
      claims += 1;
      search = await putIn(run, state, search);
    } else if (end.kind === 'looking') {
      if (end.lasting || asked > MAX_ASKED) return refuse(end.why);
      until = Date.now() + pauseBefore(end.wait, asked);
      asked += 1;
    }
  }
}

function instead(taskId: string): Pick<Obeyed, 'end' | 'note'> {
  return { end: { kind: 'task', taskId }, note: `task ${taskId} was found: it is taken instead` };
}
