import type { Claim, CreatedTask } from './contract.ts';

/** Clocks of workers and receivers may differ by this much (milliseconds). */
export const CLOCK_TOLERANCE = 5_000;

/**
 * Whether a created task can be the one that a claim's submit bought: the run has not had it, it arrived here after
 * the submit began, and every field that was sent stands unchanged in its normalized input. Fields that the API
 * added are its defaults.
 */
export function canBe(task: CreatedTask, claim: Pick<Claim, 'body' | 'since' | 'known'>): boolean {
  if (claim.known?.includes(task.taskId) === true) return false;
  return task.receivedAt >= claim.since - CLOCK_TOLERANCE && containsAsSent(task.input, claim.body);
}

/** Whether every field of `sent` is in `normalized` with an equal value. */
export function containsAsSent(normalized: unknown, sent: Record<string, unknown>): boolean {
  if (typeof normalized !== 'object' || normalized === null) return false;
  const fields = normalized as Record<string, unknown>; // an object, checked above
  return Object.entries(sent).every(
    ([name, value]) => value === undefined || (Object.hasOwn(fields, name) && equal(fields[name], value)),
  );
}

function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  const right = b as Record<string, unknown>; // an object, checked above
  return (
    left.length === Object.keys(right).length &&
    left.every(([name, value]) => Object.hasOwn(right, name) && equal(value, right[name]))
  );
}

/**
 * The claim that gets a task first: an owner's own, else the one with the most evidence (most fields sent), and
 * among equals the oldest.
 */
export function firstClaim(
  task: CreatedTask,
  owner: string | undefined,
  claims: Iterable<Claim>,
): Claim | undefined {
  return [...claims]
    .filter((claim) => (owner === undefined ? true : claim.workflowId === owner) && canBe(task, claim))
    .sort((a, b) => Object.keys(b.body).length - Object.keys(a.body).length || a.since - b.since)[0];
}
