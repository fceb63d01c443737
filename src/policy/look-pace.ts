import { pollingInterval } from './backoff.ts';
import type { Polling } from './policy.ts';

/** How the end of a task will become known, as far as the worker can tell by what has ended before. */
export interface Outlook {
  /** Whether the workspace's webhooks arrive. */
  webhooks: boolean;
  /**
   * When to look first, by the times of its model's latest tasks, in milliseconds from the acceptance: where webhooks
   * arrive, when nearly all have ended long ago; else when the first of them had.
   */
  expected?: number;
}

/** What a caller leaves out of a pace that it gives. */
const GIVEN = { first: 10_000, factor: 1.5, max: 120_000 };
/** Looks are this far apart at least where their pace goes by a model's own time (milliseconds). */
const CLOSEST = 250;

/**
 * The pause before the next look at a task, in milliseconds. A pace that was given is taken as it is. Otherwise looks
 * are as far apart as the task is old, times `factor` - 1, between `first` and `max`; the first one waits for the model's
 * own time.
 *
 * @param looks how many have told nothing so far
 * @param age of the task, in milliseconds
 */
export function pauseBeforeLook(
  polling: Polling,
  { webhooks, expected }: Outlook,
  { looks, age }: { looks: number; age: number },
): number {
  const given = givenPace(polling);
  if (given !== undefined) return pollingInterval(given, looks);
  const { first, factor, max } = webhooks ? polling.webhooks : polling.none;
  const grown = (factor - 1) * age;
  if (webhooks) {
    const due = Math.max(first, expected ?? 0);
    return Math.min(max, age < due ? due - age : Math.max(first, grown));
  }
  if (expected === undefined) return Math.min(max, Math.max(first, grown));
  return Math.min(max, age < expected ? expected - age : Math.max(CLOSEST, grown));
}

/** The longest pause between looks at a task of which nothing is heard, in milliseconds. */
export function longestPause(polling: Polling): number {
  return (givenPace(polling) ?? polling.none).max;
}

function givenPace({ first, factor, max }: Polling): typeof GIVEN | undefined {
  if (first === undefined && factor === undefined && max === undefined) return undefined;
  return { first: first ?? GIVEN.first, factor: factor ?? GIVEN.factor, max: max ?? GIVEN.max };
}
