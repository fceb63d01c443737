import type { Looking, WithdrawalKind } from '../../contract/entities/claims.ts';
import type { KeptClaim } from '../../contract/entities/unclaimed-tasks.ts';
import type { Entry } from './kept-tasks.ts';
import type { Look } from './looks.ts';

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
  return delayed && left > 0 && as !== 'buy again'
    ? { kind: 'looking', wait: left, why: DELAYED, lasting: false }
    : openLook(fitting, looked, now, patience);
}

/**
 * What is looked at; undefined: nothing, or only what no answer in flight can be for any more.
 *
 * @param patience how long such an answer is waited for, in milliseconds. A run that has yet to look back may wait longer
 *   for its turn: whoever asks again and again on its account asks a person in the end
 */
export function openLook(
  fitting: Iterable<[Entry, Look]>,
  looked: number,
  now: number,
  patience: number,
): Looking | undefined {
  let reason: Looking | undefined;
  for (const [, { state, why, nextAt, since, untilLookedBack }] of fitting) {
    if (state === 'unreadable' || state === 'alike')
      return { kind: 'looking', wait: ASK_AGAIN.lasting, why, lasting: true };
    // Judged by the looks that were made: one that is overdue may show that nobody is in flight any more.
    if (state === 'new' || nextAt <= now) reason ??= lookedAtSoon(why);
    else if (untilLookedBack || looked - since < patience)
      reason ??= { kind: 'looking', wait: ASK_AGAIN['in flight'], why, lasting: false };
  }
  return reason;
}

/** What ends in a moment. */
export const lookedAtSoon = (why: string): Looking => ({
  kind: 'looking',
  wait: ASK_AGAIN.soon,
  why,
  lasting: false,
});
