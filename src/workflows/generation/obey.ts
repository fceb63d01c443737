import type { Decision } from '../../contract/generation.ts';
import { find, pauseBefore, putIn, withdraw } from './claim.ts';
import { doubtAbout } from './evidence.ts';
import { type AskingAboutSubmit, at, type Run, type Search, type State } from './state.ts';
import { endSearch, type SearchEnd } from './transitions.ts';

/** How often the claim is put in again before a decision is obeyed. */
const MAX_CLAIMS = 3;
/** How often the entity is asked again, about two minutes long, before the person who has decided is told why not. */
const MAX_ASKED = 10;

/** What a decision comes to: what follows, or why not; and what the person who decided has to know. */
type Obeyed = { state: State; search: Search } & ({ end: SearchEnd; note?: string } | { refusal: string });

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
  const { state, search, ...obeyed } = await does(run, before, stage.search, decision);
  const { count } = run.now().heard.decisions;
  if ('refusal' in obeyed) {
    const { refusal } = obeyed;
    return { ...at(state, { ...stage, search, why: refusal }), decided: { count, refusal } };
  }
  const { end, note } = obeyed;
  return { ...endSearch(run, state, search.unknown, end), decided: { count, note } };
}

async function endWith(
  run: Run,
  state: State,
  before: Search,
  { action, taskId: named }: Decision,
): Promise<Obeyed> {
  const adopted = action === 'adopt' ? named : undefined;
  const as = adopted === undefined ? 'abandon' : 'settled';
  const { search, end, askedAt } = await withdraw(run, state, before, as);
  const found = end.kind === 'granted' ? end.taskId : undefined;
  if (adopted === undefined) {
    return { state, search, ...(found === undefined ? { end: { kind: 'fail', askedAt } } : instead(found)) };
  }
  const isOther = found !== undefined && found !== adopted;
  const note = isOther ? { note: `task ${found} was found meanwhile` } : {};
  return { state, search, end: { kind: 'task', taskId: adopted }, ...note };
}

/** The last look: by now the task may be there, and somebody may know whose it is. */
async function buyAgain(run: Run, before: State, sought: Search): Promise<Obeyed> {
  let state = before;
  let search = await putIn(run, state, sought);
  let until = Date.now();
  for (let claims = 1, asked = 1; ; ) {
    const found = await find(run, state, search, { until });
    ({ state } = found);
    if (found.taskId !== undefined) {
      const { end } = await withdraw(run, state, search, 'settled');
      return { state, search, ...instead(end.kind === 'granted' ? end.taskId : found.taskId) };
    }
    const refuse = (why: string): Obeyed => ({
      state,
      search,
      refusal: `nothing is bought again yet: ${why}`,
    });
    const doubt = doubtAbout(state);
    if (doubt !== undefined) return refuse(doubt);
    const withdrawn = await withdraw(run, state, search, 'buy again');
    ({ search } = withdrawn);
    const { end, askedAt } = withdrawn;
    if (end.kind === 'granted') return { state, search, ...instead(end.taskId) };
    if (end.kind === 'gone') return { state, search, end: { kind: 'resubmit', askedAt } };
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

function instead(taskId: string): { end: SearchEnd; note: string } {
  return { end: { kind: 'task', taskId }, note: `task ${taskId} was found: it is taken instead` };
}
