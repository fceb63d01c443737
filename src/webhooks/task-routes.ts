import { RecentMap } from './recent-map.ts';

const REMEMBERED = 100_000;

/**
 * Which workflow submitted a task, for the tasks that this very process submitted. Always right about who got
 * the API's answer; not proof that the workflow has heard of it (DESIGN, Routing a webhook to its workflow).
 */
export class TaskRoutes {
  readonly #routes = new RecentMap<string>(REMEMBERED);
  readonly #waiting = new Map<string, Set<(workflowId: string) => void>>();

  register(taskId: string, workflowId: string): void {
    this.#routes.set(taskId, workflowId);
    const waiting = this.#waiting.get(taskId);
    if (waiting === undefined) return;
    this.#waiting.delete(taskId);
    for (const tell of waiting) tell(workflowId);
  }

  find(taskId: string): string | undefined {
    return this.#routes.get(taskId);
  }

  /**
   * Calls `tell` once if the task is registered later on.
   *
   * @returns ends the wait
   */
  onRegistered(taskId: string, tell: (workflowId: string) => void): () => void {
    const waiting = this.#waiting.get(taskId) ?? new Set();
    this.#waiting.set(taskId, waiting.add(tell));
    return () => {
      waiting.delete(tell);
      if (waiting.size === 0 && this.#waiting.get(taskId) === waiting) this.#waiting.delete(taskId);
    };
  }
}
