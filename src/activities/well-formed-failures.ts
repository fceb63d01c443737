import { wellFormed } from '../api/text/well-formed.ts';
import type { DarkroomActivities } from '../contract/activities.ts';

/** Causes of causes that are looked at. */
const MOST_CAUSES = 20;

/**
 * The same activities, whose failures can be told: what they say may hold a text that was cut within a surrogate pair, and
 * the SDK's core stops its worker over such a message.
 */
export function withWellFormedFailures(activities: DarkroomActivities): DarkroomActivities {
  const entries = Object.entries(activities).map(([name, activity]) => {
    const call = activity as (...args: unknown[]) => Promise<unknown>; // called as it was scheduled
    return [name, async (...args: unknown[]) => await call(...args).catch(rethrow)];
  });
  return Object.fromEntries(entries) as DarkroomActivities; // the same names
}

function rethrow(error: unknown): never {
  let at = error;
  for (let seen = 0; at instanceof Error && seen < MOST_CAUSES; seen += 1) {
    at.message = wellFormed(at.message);
    if (at.stack !== undefined) at.stack = wellFormed(at.stack);
    at = at.cause;
  }
  throw error;
}
