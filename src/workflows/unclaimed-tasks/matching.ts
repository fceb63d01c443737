import { containsAsSent } from '../../api/contains-as-sent.ts';
import { CLOCK_TOLERANCE } from '../../contract/limits.ts';
import type { Claim, CreatedTask } from '../../contract/unclaimed-tasks.ts';

/**
 * Whether a created task can be the one that a claim's submit bought: the run has not had it, it arrived here after
 * the submit began, and every field that was sent stands unchanged in its normalized input. Fields that the API
 * added are its defaults.
 */
export function canBe(task: CreatedTask, claim: Pick<Claim, 'body' | 'since' | 'known'>): boolean {
  if (claim.known?.includes(task.taskId) === true) return false;
  return task.receivedAt >= claim.since - CLOCK_TOLERANCE && containsAsSent(task.input, claim.body);
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
