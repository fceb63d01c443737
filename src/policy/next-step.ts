import { generationCode } from '../api/codes.ts';
import { backoffDelay } from './backoff.ts';
import type { Pace, Policy } from './policy.ts';

/** Something that went wrong, as the policy's table sees it. */
export interface Setback {
  /** The table's column: the submit's own answer, or the failure of a task that was bought. */
  column: 'submit' | 'task';
  /** The API's code, with or without its prefix. */
  code: string | null | undefined;
  /** How often this generation has met the code, this time included. */
  count: number;
  /** Milliseconds that refusals of this submit and the pauses after them have taken so far. */
  waited?: number;
  /** `Retry-After`, in milliseconds. */
  retryAfter?: number | undefined;
}

/** What happens next. Delays in milliseconds. */
export type NextStep =
  /** The same submit again. */
  | { kind: 'retry'; delay: number }
  /** A further submit, which may buy a further task. */
  | { kind: 'resubmit'; delay: number; newSeed: boolean }
  /** Wait for credits, looked for at that pace, before a further submit. */
  | { kind: 'park'; pace: Pace }
  | { kind: 'fail' };

/** Whether a further submit may be sent with another seed than the request's. */
export function drawsSeeds({ retries }: Pick<Policy, 'retries'>): boolean {
  return Object.values(retries).some(
    ({ onSubmit, onTask, resubmissions }) =>
      resubmissions > 0 && (onSubmit === 'new seed' || onTask === 'new seed'),
  );
}

/**
 * The policy's table as a function.
 *
 * @param random gives a number in [0, 1): pauses are spread, so that a fleet does not come back in step. Called once
 *   where there is a pause, and else not at all
 */
export function nextStep(
  { column, code, count, waited = 0, retryAfter }: Setback,
  { retries }: Pick<Policy, 'retries'>,
  random: () => number,
): NextStep {
  const known = generationCode(code);
  if (known === undefined) return { kind: 'fail' };
  const row = retries[known];
  const action = column === 'submit' ? row.onSubmit : row.onTask;
  if (action === 'fail') return { kind: 'fail' };
  if (action === 'retry') {
    const delay = backoffDelay(row, count, random(), retryAfter);
    return waited + delay <= row.window ? { kind: 'retry', delay } : { kind: 'fail' };
  }
  // A rejected submit has bought nothing, so it waits for credits however often it takes.
  if (action === 'park' && column === 'submit') return { kind: 'park', pace: row };
  if (count > row.resubmissions) return { kind: 'fail' };
  if (action === 'park') return { kind: 'park', pace: row };
  return { kind: 'resubmit', delay: backoffDelay(row, count, random()), newSeed: action === 'new seed' };
}
