import { CLOCK_TOLERANCE } from '../../../contract/limits.ts';
import type { OldClaim, OldTask } from './messages.ts';

/** As release 0.1 chose: by the fields alone, whatever the model. */
export function firstClaim(
  task: OldTask,
  owner: string | undefined,
  claims: Iterable<OldClaim>,
): OldClaim | undefined {
  return [...claims]
    .filter((claim) => (owner === undefined ? true : claim.workflowId === owner) && canBe(task, claim))
    .sort((a, b) => Object.keys(b.body).length - Object.keys(a.body).length || a.since - b.since)[0];
}

function canBe(task: OldTask, claim: OldClaim): boolean {
  if (claim.known?.includes(task.taskId) === true) return false;
  return task.receivedAt >= claim.since - CLOCK_TOLERANCE && containsAsSent(task.input, claim.body);
}

function containsAsSent(normalized: unknown, sent: Record<string, unknown>): boolean {
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
