import { log } from '@temporalio/workflow';
import type { Decision } from '../../contract/generation.ts';
import type { Policy } from '../../policy/policy.ts';
import { asked, beginAsking, endAsking } from './ask.ts';
import { isToContinue, type Search } from './continue.ts';
import type { Steps } from './generation.ts';
import type { LostSubmit } from './lost-submit.ts';
import { describeBalance, pauseBefore, type ReconcileEnd, type UnknownSubmit } from './unknown-submit.ts';

/** The claim of a run that asks is put in again, in case that nobody knows of it any more: first after ten waits. */
const FIRST_PAUSE = 10;
/** Rarer and rarer, but at least so often (milliseconds). */
const LONGEST_PAUSE = 6 * 60 * 60_000;
/** How often the claim is put in again before a decision is obeyed. */
const MAX_CLAIMS = 3;
/** How often the entity is asked again, about two minutes long, before the person who has decided is told why not. */
const MAX_ASKED = 10;

/** What a decision comes to: what follows, or why not; and what the person who decided has to know. */
type Obeyed = { end: ReconcileEnd; note?: string } | { refusal: string };

/** How far the asking has come. */
export type Asking = Extract<Search, { kind: 'asking' }>;

interface Question {
  unknown: UnknownSubmit;
  /** Called where the search may go on in another run. */
  keep: (asking: Asking) => Promise<void>;
  /** What is known of a task that may be the one. */
  about: string | undefined;
  /** Where an earlier run has kept it. */
  kept: Asking | undefined;
  /** What follows without an answer, where the question is only about a task that may be the one. */
  otherwise: Policy['reconcile']['otherwise'];
}

/**
 * Asks a person what to do about a submit of which nobody can tell whether it has bought a task; the search goes on
 * meanwhile. "resubmit" is obeyed after a last look: a task that is there by now is taken instead.
 */
export async function askAboutSubmit(
  steps: Steps,
  lost: LostSubmit,
  { unknown, keep, about: known, kept, otherwise }: Question,
): Promise<ReconcileEnd> {
  const { inbox, plan } = steps;
  const { wait } = plan.policy.reconcile;
  let about = known;
  let pause = kept?.pause ?? FIRST_PAUSE * wait;
  let renewAt = kept?.renewAt ?? Date.now() + pause;
  try {
    if (kept !== undefined) {
      beginAsking(steps, question(unknown, about));
      await lost.claim();
    }
    for (;;) {
      const { kept: search } = lost;
      await keep({ kind: 'asking', pause, renewAt, ...search, ...(about === undefined ? {} : { about }) });
      const note = question(unknown, about);
      beginAsking(steps, note);
      const isDecided = (): boolean => inbox.decision !== undefined;
      const enough = (): boolean => isDecided() || isToContinue();
      const found = await lost.find(renewAt, { enough, summary: asked(note) });
      if (found !== undefined && !isDecided()) return { kind: 'task', taskId: await lost.settle(found) };
      if (lost.wasNeverSent) return await lost.endNeverSent();
      if (inbox.decision !== undefined) {
        log.info(`a person has decided: ${inbox.decision.action}`);
        inbox.isAsking = false;
        const obeyed = await obey(steps, lost, inbox.decision);
        inbox.answer(obeyed);
        if ('end' in obeyed) return obeyed.end;
        about = obeyed.refusal;
        continue;
      }
      if (isToContinue()) continue;
      pause = Math.min(1.5 * pause, LONGEST_PAUSE);
      renewAt = Date.now() + pause;
      await lost.claim();
      // Whoever asks only because of a task that may be the one goes on by the policy where it is not.
      if (otherwise === 'ask' || lost.evidence.doubt !== undefined || isDecided()) continue;
      const end = await lost.withdraw('give up');
      if (end.kind === 'granted') return { kind: 'task', taskId: end.taskId };
      if (end.kind === 'gone') return { kind: otherwise };
      if (end.kind === 'looking' || end.kind === 'forgotten') about = end.why;
    }
  } finally {
    endAsking(steps);
    // The search attribute follows with the next state, so that history stays true.
    steps.run.state = 'reconciling';
  }
}

function question({ reason, balance }: UnknownSubmit, about: string | undefined): string {
  return `${reason}${describeBalance(balance)}. ${about ?? 'Nobody can tell whether a task was bought'}`;
}

async function obey(steps: Steps, lost: LostSubmit, { action, taskId }: Decision): Promise<Obeyed> {
  // What was decided is being done. The search attribute follows with the next state.
  steps.run.state = 'reconciling';
  if (action === 'resubmit') return await buyAgain(steps, lost);
  const end = await lost.withdraw(action === 'adopt' ? 'settled' : 'abandon');
  const found = end.kind === 'granted' ? end.taskId : undefined;
  if (action === 'adopt' && taskId !== undefined) {
    const other = found === undefined || found === taskId ? undefined : `task ${found} was found meanwhile`;
    return { end: { kind: 'task', taskId }, ...(other === undefined ? {} : { note: other }) };
  }
  return found === undefined ? { end: { kind: 'fail' } } : instead(found);
}

/** The last look: by now the task may be there, and somebody may know whose it is. */
async function buyAgain({ run }: Steps, lost: LostSubmit): Promise<Obeyed> {
  await lost.claim();
  for (let claims = 1, asked = 1; ; ) {
    const own = await lost.find(Date.now());
    if (own !== undefined) return instead(await lost.settle(own));
    const { doubt } = lost.evidence;
    if (doubt !== undefined) return notYet(doubt);
    const end = await lost.withdraw('buy again');
    if (end.kind === 'granted') return instead(end.taskId);
    if (end.kind === 'gone') return { end: { kind: 'resubmit' } };
    if (end.kind === 'not there') {
      if (claims === MAX_CLAIMS) return notYet('unclaimed-tasks has no room for another claim now');
      claims += 1;
      await lost.claim();
    } else if (end.kind === 'looking' && (end.lasting || asked > MAX_ASKED)) return notYet(end.why);
    else if (end.kind === 'looking') {
      run.tell(`before buying again: ${end.why}`);
      const found = await lost.find(Date.now() + pauseBefore(end.wait, asked));
      asked += 1;
      if (found !== undefined) return instead(await lost.settle(found));
    }
  }
}

function instead(taskId: string): Obeyed {
  return { end: { kind: 'task', taskId }, note: `task ${taskId} was found: it is taken instead` };
}

function notYet(why: string): Obeyed {
  return { refusal: `nothing is bought again yet: ${why}` };
}
