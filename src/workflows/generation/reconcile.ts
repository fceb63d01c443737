import type { WithdrawalEnd } from '../../contract/entities/unclaimed-tasks.ts';
import { formatDuration } from './activities.ts';
import { type Asking, askAboutSubmit } from './ask-about-submit.ts';
import { isToContinue, type Search } from './continue.ts';
import type { Steps } from './generation.ts';
import { LostSubmit } from './lost-submit.ts';
import { pauseBefore, type ReconcileEnd, type UnknownSubmit } from './unknown-submit.ts';

/** How often a claim that nobody knows of is put in again: after that it is a person's to see why. */
const MAX_CLAIMS = 20;
/** Before the run comes back for what may last, in milliseconds; longer each time. */
const LASTING = 5_000;
/** How often the run comes back for what may take as long as the API is away; after that a person is asked as well. */
const MAX_LASTING = 10;
/** How often it comes back in all, some ten minutes long, before a person is asked as well. */
const MAX_ASKED = 30;

/**
 * Looks for the task that a submit may have bought before anything is submitted again. The evidence is an event of
 * a task that nobody holds; `unclaimed-tasks/<workspace>` collects those and grants each to one claim at most.
 * Without evidence the policy decides, and by default a person. While there is a task that may be the one, nothing
 * is bought or given up.
 *
 * @param keep called where the search may go on in another run, with how far it has come
 * @param from where an earlier run has kept it
 */
export async function reconcile(
  steps: Steps,
  unknown: UnknownSubmit,
  keep: (search: Search) => Promise<void>,
  from?: Search,
): Promise<ReconcileEnd> {
  const { run, plan } = steps;
  const { reason, givenUp } = unknown;
  const { policy } = plan;
  // One that was given up had its time, and was decided about.
  const { wait, otherwise } =
    givenUp === true ? ({ wait: 0, otherwise: 'resubmit' } as const) : policy.reconcile;
  // Nobody has seen the end of its request: for so long the API may still accept it, and its task comes after that.
  const open = unknown.inFlight ? policy.submit.timeout : 0;
  const lost = new LostSubmit(steps, unknown, from);
  const ask = (about?: string, kept?: Asking): Promise<ReconcileEnd> =>
    askAboutSubmit(steps, lost, { unknown, keep, about, kept, otherwise });
  // What one that was given up is granted may have failed long ago: the look before the next submit tells.
  const taken = (taskId: string): ReconcileEnd => {
    if (givenUp !== true) return { kind: 'task', taskId };
    lost.keepGrant(taskId);
    return { kind: 'resubmit' };
  };
  if (from?.kind === 'asking') return await ask(from.about, from);
  const within =
    open + wait === 0 ? 'looking for it' : `looking for the task for ${formatDuration(open + wait)}`;
  run.enter('reconciling', `${reason}; ${within}`);
  // A run that goes on for another puts the claim in for itself: it is this one that is to be told.
  await lost.claim();
  const begun = { until: Date.now() + open + wait, claims: 1, lasting: 0, asked: 0 };
  let { until, claims, lasting, asked } = from ?? begun;
  for (;;) {
    await keep({ kind: 'looking', until, claims, lasting, asked, ...lost.kept });
    const found = await lost.find(until, { enough: () => isToContinue() });
    if (found !== undefined) return taken(await lost.settle(found));
    if (lost.wasNeverSent) return await lost.endNeverSent();
    if (isToContinue()) continue;
    const end = await giveUp(lost, otherwise === 'ask' ? 'look' : 'give up');
    if (end.kind === 'granted') return taken(end.taskId);
    if (end.kind === 'looking') {
      lasting += end.lasting ? 1 : 0;
      asked += 1;
      const isLong = asked > MAX_ASKED || (end.lasting && (otherwise === 'ask' || lasting > MAX_LASTING));
      if (isLong) return await ask(end.why);
      const pause = pauseBefore(end.wait * Math.max(1, lasting), asked);
      run.enter('reconciling', `${reason}; ${end.why}: looking on for ${formatDuration(pause)}`);
      until = Date.now() + pause;
    } else if (end.kind === 'not there' && claims < MAX_CLAIMS) {
      // The entity has lost it, or had no room for it.
      claims += 1;
      await lost.claim();
      until = Date.now() + wait;
    } else if (givenUp === true) {
      const last = end.kind === 'gone' ? end : await lost.withdraw('abandon');
      return last.kind === 'granted' ? taken(last.taskId) : { kind: 'resubmit' };
    } else if (end.kind === 'forgotten') {
      return await ask(end.why);
    } else if (otherwise === 'ask' || end.kind === 'not there') {
      return await ask();
    } else return { kind: otherwise };
  }
}

/** What this run has heard of itself is a reason to look on, as what the entity knows of. */
async function giveUp(lost: LostSubmit, as: 'look' | 'give up'): Promise<WithdrawalEnd> {
  const { doubt } = lost.evidence;
  if (doubt !== undefined) return { kind: 'looking', wait: LASTING, why: doubt, lasting: true };
  return await lost.withdraw(as);
}
