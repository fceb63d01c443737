import type { Looking, Withdrawal, WithdrawalEnd } from '../../contract/entities/claims.ts';
import type { KeptClaim } from '../../contract/entities/unclaimed-tasks.ts';
import { openLook, whyNotYet } from './giving-up.ts';
import type { Entry } from './kept-tasks.ts';
import type { Look } from './looks.ts';
import type { Memory } from './memory.ts';

/** How a withdrawal ends: one atomic step. */
export function endClaim(memory: Memory, { claimId, as, notOurs }: Withdrawal, now: number): WithdrawalEnd {
  const { grants } = memory;
  if (notOurs !== undefined && grants.of(claimId) === notOurs) grants.forget(claimId);
  const taskId = grants.tell(claimId);
  if (taskId !== undefined) return { kind: 'granted', taskId };
  const { open, former } = memory.seekers;
  const claim = open.get(claimId);
  const isToEnd = as === 'settled' || as === 'abandon';
  if (claim === undefined) {
    const gone = former.get(claimId);
    if (as === 'settled') former.delete(claimId);
    // Whoever asks for a run that has closed goes on for it, and has its whole wait before it.
    const isGivenUp = gone !== undefined && (isToEnd || gone.closed === undefined);
    return { kind: isGivenUp ? 'gone' : 'not there' };
  }
  if (isToEnd) {
    memory.leave(claim, now, as === 'settled' ? 'settled' : 'given up');
    return { kind: 'gone' };
  }
  const reason = whyNotYet(claim, as, tasksFor(memory, claim), memory.looked, now);
  if (reason !== undefined) return reason;
  const last = lastResorts(memory, claim, now);
  if (last !== undefined) return last;
  if (as === 'look') {
    open.put({ ...claim, toldNothing: true });
    return { kind: 'nothing' };
  }
  memory.leave(claim, now, 'given up');
  return { kind: 'gone' };
}

/** However late the claim has been looked at: nothing better than what has failed will come for it. */
function lastResorts(memory: Memory, claim: KeptClaim, now: number): Looking | undefined {
  const { looked, looks, seekers } = memory;
  const failed = lookedAt(memory, (task) => task.endedWithoutResult === true && seekers.fits(task, claim));
  if (failed.length === 0) return undefined;
  seekers.open.put({ ...claim, looksUntilAtMost: Math.min(claim.looksUntilAtMost, looked) });
  for (const [{ taskId }, { state }] of failed) if (state === 'new') looks.again(taskId, now);
  return openLook(failed, looked, now, claim.patience);
}

/** What is looked at that may be a claim's, be it open or given up; undefined: nothing. */
export function lookingFor(memory: Memory, claimId: string, now: number): Looking | undefined {
  const { looked, seekers } = memory;
  const claim = seekers.open.get(claimId);
  if (claim !== undefined) return whyNotYet(claim, 'look', tasksFor(memory, claim), looked, now);
  const former = seekers.former.get(claimId);
  if (former === undefined) return undefined;
  const fitting = lookedAt(memory, (task) => !task.endedWithoutResult && seekers.proves(task, former));
  return openLook(fitting, looked, now, former.patience);
}

/** The tasks that may be a claim's, with what is known of them. One that has failed is given away at the end. */
function tasksFor(memory: Memory, claim: KeptClaim): [Entry, Look][] {
  return lookedAt(memory, (task) => !task.endedWithoutResult && memory.seekers.fits(task, claim));
}

function lookedAt({ looks, tasks }: Memory, isMeant: (task: Entry) => boolean): [Entry, Look][] {
  return [...looks.entries()].flatMap(([taskId, look]): [Entry, Look][] => {
    const task = tasks.get(taskId);
    return task !== undefined && isMeant(task) ? [[task, look]] : [];
  });
}
