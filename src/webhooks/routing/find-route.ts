import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkspaceTask } from '../../contract/tasks/workspace-task.ts';
import type { Route, TaskRoutes } from './task-routes.ts';
import type { VisibilityRoutes } from './visibility-routes.ts';

/** When to look, in milliseconds after the event came. */
export interface SearchPlan {
  checks: readonly number[];
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
/** Share of a hold in which most workflows of this process have told that they hold their task. */
const SOON = 0.25;
/**
 * An event that finds nobody waits so many times its hold longer for the submits of this process that are under way: it
 * may be of the task of one whose answer is slow, which need not be looked for as a lost one.
 */
const SLOW_ANSWER = 2;

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
   * Looks for a task's workflow until it is found, a submit of this process with that task ends, or the plan has come
   * to its end.
   */
  async find(task: WorkspaceTask, plan: SearchPlan): Promise<RouteAnswer> {
    return (await this.#hold(() => this.#searchTwice(task, plan))) ?? { kind: 'too many held' };
  }

  /**
   * Waits whether a workflow holds a task: it tells so in the process that runs it, which costs nothing, and visibility
   * shows it to all others.
   *
   * @param hold milliseconds that it may take until then
   */
  async isHeld(task: WorkspaceTask, hold: number): Promise<boolean | 'too many held'> {
    return (await this.#hold(() => this.#hasHolder(task, hold))) ?? 'too many held';
  }

  async #hasHolder(task: WorkspaceTask, hold: number): Promise<boolean> {
    const until = performance.now() + hold;
    if (await this.#routes.isHeld(task, SOON * hold)) return true;
    // What another process submitted is told there. What this one submitted is told here, unless something is wrong.
    if (this.#routes.find(task) === undefined && (await this.#isVisible(task))) return true;
    const rest = Math.max(0, until - performance.now());
    if ((await this.#routes.isHeld(task, rest)) || (await this.#isVisible(task))) return true;
    if (this.#routes.find(task) !== undefined) return false;
    if (!(await this.#routes.submitsEnded(task.workspace, SLOW_ANSWER * hold))) return false;
    return await this.#routes.isHeld(task, SOON * hold);
  }

  async #isVisible(task: WorkspaceTask): Promise<boolean> {
    const looked = this.#visibility.lookUp(task, false).catch(() => undefined);
    return (await Promise.race([looked, sleep(PATIENCE, undefined, { ref: false })])) !== undefined;
  }

  async #searchTwice(task: WorkspaceTask, plan: SearchPlan): Promise<RouteAnswer> {
    const answer = await this.#search(task, plan);
    const hold = plan.checks.at(-1) ?? 0;
    if (answer.kind !== 'none' || !(await this.#routes.submitsEnded(task.workspace, SLOW_ANSWER * hold)))
      return answer;
    const route = this.#routes.find(task);
    return route === undefined
      ? await this.#search(task, { checks: [SOON * hold] })
      : { kind: 'found', route, way: 'map' };
  }

  /** Undefined: too many wait already. */
  async #hold<T>(wait: () => Promise<T>): Promise<T | undefined> {
    if (this.held >= this.#maxHeld) return undefined;
    this.held += 1;
    try {
      return await wait();
    } finally {
      this.held -= 1;
    }
  }

  #search(task: WorkspaceTask, { checks }: SearchPlan): Promise<RouteAnswer> {
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
        stopListening();
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
          const route = await this.#visibility.lookUp(task, true);
          answered = true;
          if (route !== undefined) settle({ kind: 'found', route, way: 'visibility' });
        } catch (error) {
          failure = error;
        }
        checkNext();
      };

      const end = setTimeout(giveUp, (checks.at(-1) ?? 0) + PATIENCE);
      const stopListening = this.#routes.onRegistered(task, (route) =>
        settle({ kind: 'found', route, way: 'map' }),
      );
      if (checks[0] === 0) void look();
      else checkNext();
    });
  }
}
