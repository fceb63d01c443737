import type { WorkspaceTask } from '../../contract/workspace-task.ts';
import type { Route, TaskRoutes } from './task-routes.ts';
import type { VisibilityRoutes } from './visibility-routes.ts';

/** When to look, in milliseconds after the event came, and in which order among others. */
export interface SearchPlan {
  checks: readonly number[];
  urgent: boolean;
}

export type RouteAnswer =
  | { kind: 'found'; route: Route; way: 'map' | 'visibility' }
  /** Visibility answered and knows of none. */
  | { kind: 'none' }
  /** Visibility never answered. */
  | { kind: 'unanswered'; error: unknown }
  /** Too many events wait for their routes already. */
  | { kind: 'too many held' };

/** An answer that is late because many wait for look-ups is waited for a little longer than the last check. */
const PATIENCE = 2_000;

/** Looks for the workflows of tasks that this process did not submit, for a bounded number of events at a time. */
export class RouteSearch {
  /** Events that wait now. */
  held = 0;
  readonly #visibility: VisibilityRoutes;
  readonly #routes: TaskRoutes;
  readonly #maxHeld: number;

  constructor(visibility: VisibilityRoutes, routes: TaskRoutes, maxHeld: number) {
    this.#visibility = visibility;
    this.#routes = routes;
    this.#maxHeld = maxHeld;
  }

  /**
   * Looks for a task's workflow until it is found or the plan has come to its end.
   *
   * @param submits whether a submit of this process that ends in the meantime counts as found
   */
  async find(task: WorkspaceTask, plan: SearchPlan, { submits }: { submits: boolean }): Promise<RouteAnswer> {
    if (this.held >= this.#maxHeld) return { kind: 'too many held' };
    this.held += 1;
    try {
      return await this.#search(task, plan, submits);
    } finally {
      this.held -= 1;
    }
  }

  #search(task: WorkspaceTask, { checks, urgent }: SearchPlan, submits: boolean): Promise<RouteAnswer> {
    return new Promise((resolve) => {
      const start = performance.now();
      let failure: unknown = new Error('visibility did not answer in time');
      let answered = false;
      let settled = false;
      let timer: NodeJS.Timeout | undefined;

      const settle = (answer: RouteAnswer): void => {
        settled = true;
        clearTimeout(timer);
        clearTimeout(end);
        stopListening?.();
        resolve(answer);
      };
      const giveUp = (): void => settle(answered ? { kind: 'none' } : { kind: 'unanswered', error: failure });
      const checkNext = (): void => {
        if (settled) return;
        const elapsed = performance.now() - start;
        const next = checks.find((at) => at > elapsed);
        if (next === undefined) giveUp();
        else timer = setTimeout(() => void look(), next - elapsed);
      };
      const look = async (): Promise<void> => {
        try {
          const route = await this.#visibility.lookUp(task, urgent);
          answered = true;
          if (route !== undefined) settle({ kind: 'found', route, way: 'visibility' });
        } catch (error) {
          failure = error;
        }
        checkNext();
      };

      const end = setTimeout(giveUp, (checks.at(-1) ?? 0) + PATIENCE);
      const stopListening = submits
        ? this.#routes.onRegistered(task, (route) => settle({ kind: 'found', route, way: 'map' }))
        : undefined;
      if (checks[0] === 0) void look();
      else checkNext();
    });
  }
}
