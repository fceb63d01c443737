import type { BalanceEvidence, SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import type { Policy } from '../../policy/policy.ts';

/** A submit that may have bought a task, and nobody knows which. */
export type UnknownSubmit = Extract<SubmitTaskResult, { kind: 'unknown' }>;

/** What follows it; `not sent`: nothing was bought, for sure. */
export type ReconcileEnd =
  | { kind: 'task'; taskId: string }
  | { kind: 'resubmit' }
  | { kind: 'fail' }
  | { kind: 'not sent' };

/**
 * The id of the claim for it: the same for every run of a purchase, a Reset's too, and another one for each submit.
 *
 * @param since when the submit began, in milliseconds since the epoch
 */
export function claimIdOf(firstRunId: string, since: number): string {
  return `${firstRunId}.${Math.round(since).toString(36)}`;
}

/** How long another submit of the same input can be in flight, in milliseconds. */
export function patienceOf({ submit }: Pick<Policy, 'submit'>): number {
  return 2 * submit.timeout + submit.heartbeat;
}

/** Between two questions to the entity, in milliseconds: longer each time. Where it knows nothing yet, nor do others. */
const PAUSES = { first: 500, factor: 1.5, longest: 30_000 };

/**
 * How long a run leaves the entity alone that has something to look at.
 *
 * @param wait what the entity says, in milliseconds
 * @param asked how often it has said so, this time included
 */
export function pauseBefore(wait: number, asked: number): number {
  return Math.max(wait, Math.min(PAUSES.first * PAUSES.factor ** (asked - 1), PAUSES.longest));
}

/** The balance around it, in words that go on. */
export function describeBalance({ before, after }: BalanceEvidence = {}): string {
  const told = [before, after].map((reading) =>
    reading === undefined ? 'not known' : `${reading.available} at ${new Date(reading.at).toISOString()}`,
  );
  if (before === undefined && after === undefined) return '';
  const both = before !== undefined && after !== undefined;
  const less = both ? `, difference: ${before.available - after.available}` : '';
  return `; credits before: ${told[0]}, after: ${told[1]}${less}`;
}
