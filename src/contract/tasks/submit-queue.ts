/** The task queue of submits: of their own, so that Temporal can pace them. */
export function submitQueue(taskQueue: string): string {
  return `${taskQueue}-submit`;
}

/** The key that keeps the submits of workspaces apart in that queue: at most 64 bytes long. */
export function fairnessKey(workspace: string): string {
  return workspace.slice(0, 64);
}

/**
 * A slowed workspace has a weight of its own in the queue, as a tenth of its submits a second; the server allows
 * 0.001 to 1,000. All others have the highest, so that they are neither limited in practice nor behind a slowed
 * one: the queue hands out tasks in proportion to the weights.
 */
export const UNSLOWED_WEIGHT = 1_000;
export const RATE_PER_WEIGHT = 10;

/** The weight that limits a workspace to so many submits a second. */
export function weightOf(rate: number): number {
  return Math.min(UNSLOWED_WEIGHT, Math.max(0.001, rate / RATE_PER_WEIGHT));
}
