import type { KeptClaim, WithdrawalEnd, WithdrawalKind } from '../../contract/entities/unclaimed-tasks.ts';
import type { Entry } from './kept-tasks.ts';
import type { Look } from './looks.ts';

type Looking = Extract<WithdrawalEnd, { kind: 'looking' }>;

/** When a run asks again, in milliseconds. */
const ASK_AGAIN = { soon: 500, 'in flight': 1_000, lasting: 5_000 };
const DELAYED = 'events were delayed';

/**
 * Why a claim should not be given up yet; undefined: nothing that is known of may be its.
 *
 * @param fitting the tasks that may be its, with what is known of them
 * @param looked now, in looked time
 */
export function whyNotYet(
  claim: KeptClaim,
  as: WithdrawalKind,
  fitting: Iterable<[Entry, Look]>,
  looked: number,
  now: number,
): Looking | undefined {
  const { looksFrom, wait, looksUntilAtMost, patience, delayed } = claim;
  const left = Math.min(looksFrom + wait, looksUntilAtMost) - looked;
  if (delayed && left > 0 && as !== 'buy again')
    return { kind: 'looking', wait: left, why: DELAYED, lasting: false };
  let reason: Looking | undefined;
  for (const [task, { state, why, nextAt, since }] of fitting) {
    // One that has failed is given away at the end.
    if (task.endedWithoutResult === true) continue;
    if (state === 'unreadable' || state === 'alike')
      return { kind: 'looking', wait: ASK_AGAIN.lasting, why, lasting: true };
    // Judged by the looks that were made: one that is overdue may show that nobody is in flight any more.
    if (state === 'new' || nextAt <= now)
      reason ??= { kind: 'looking', wait: ASK_AGAIN.soon, why, lasting: false };
    else if (looked - since < patience)
      reason ??= { kind: 'looking', wait: ASK_AGAIN['in flight'], why, lasting: false };
  }
  return reason;
}
