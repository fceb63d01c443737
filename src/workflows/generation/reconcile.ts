import { beginAsking } from './ask.ts';
import { endOf, find, pauseBefore, putIn, withdraw } from './claim.ts';
import type { Reconciling } from './stage.ts';
import { at, policyOf, type Run, type State } from './state.ts';
import { adoptFound, endSearch, patienceWith } from './transitions.ts';

/** How often a claim that nobody knows of is put in again: after that it is a person's to see why. */
const MAX_CLAIMS = 20;
/** How long it comes back for what may take as long as the API or the entity is away (ms), and how often in all: some ten minutes. Then a person is asked. */
const LASTS = 240_000;
const MAX_ASKED = 30;

/**
 * Looks for the task that a submit may have bought before anything is submitted again. The evidence is an event of
 * a task that nobody holds; `unclaimed-tasks/<workspace>` collects those and grants each to one claim at most.
 * Without evidence the policy decides, and by default a person. While there is a task that may be the one, nothing
 * is bought or given up.
 */
export async function reconcile(before: State, stage: Reconciling, run: Run): Promise<State> {
  const { search } = stage;
  if (search.claim === 'not yet') {
    const { until = Date.now() + stage.pause } = stage;
    return at(before, { ...stage, search: await putIn(run, before, search), until });
  }
  const { until = 0 } = stage;
  const found = await find(run, before, search, until, run.isInterrupted);
  const end = await endOf(run, found, search);
  if (end !== undefined) return end;
  return run.isInterrupted() ? found.state : await giveUp(run, found.state, stage);
}

async function giveUp(run: Run, state: State, stage: Reconciling): Promise<State> {
  const { unknown } = stage.search;
  const { wait, otherwise } = patienceWith(unknown, policyOf(state));
  const as = otherwise === 'ask' ? 'look' : 'give up';
  const { search, end, askedAt } = await withdraw(run, state, stage.search, as);
  if (end.kind === 'granted') return adoptFound(run, state, unknown, end.taskId);
  if (end.kind === 'looking') {
    const now = Date.now();
    const asked = stage.asked + 1;
    const lastsSince = stage.lastsSince ?? (end.lasting ? askedAt : undefined);
    const isLasting = lastsSince !== undefined && now - lastsSince > LASTS;
    const isLong = asked > MAX_ASKED || (end.lasting && (otherwise === 'ask' || isLasting));
    if (isLong) return await beginAsking(run, state, search, end.why);
    const pause = pauseBefore(end.wait, asked);
    return at(state, { ...stage, search, lastsSince, asked, why: end.why, pause, until: now + pause });
  }
  if (end.kind === 'not there' && stage.claims < MAX_CLAIMS) {
    // The entity has lost it, or had no room for it.
    const again = await putIn(run, state, search);
    return at(state, { ...stage, search: again, claims: stage.claims + 1, until: Date.now() + wait });
  }
  if (unknown.givenUp === true) {
    const last = end.kind === 'gone' ? end : (await withdraw(run, state, search, 'abandon')).end;
    return last.kind === 'granted'
      ? adoptFound(run, state, unknown, last.taskId)
      : endSearch(run, state, unknown, { kind: 'resubmit', askedAt });
  }
  // The entity that has had the claim is gone.
  if (end.kind === 'forgotten')
    return await beginAsking(run, state, { ...search, claim: 'not yet' }, end.why);
  if (otherwise === 'ask' || end.kind === 'not there') return await beginAsking(run, state, search);
  return endSearch(run, state, unknown, { kind: otherwise, askedAt });
}
