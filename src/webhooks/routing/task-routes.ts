import { LRUCache } from 'lru-cache';
import { taskKey, type WorkspaceTask } from '../../contract/workspace-task.ts';
import type { SignalResult } from '../../temporal/event-sink.ts';

/** A signal that Temporal has not answered yet. */
export interface SignalUnderWay {
  taskId: string;
  type: string;
  result: Promise<SignalResult>;
}

/** The way to a workflow, with what this process has sent along it. */
export interface Route {
  readonly workflowId: string;
  /** Sent so far. */
  signals: number;
  /** Hardly ever more than one. */
  underWay: SignalUnderWay[];
}

const REMEMBERED = 100_000;

/**
 * Which workflow submitted a task, for the tasks that this very process submitted. Always right about who got
 * the API's answer; not proof that the workflow has heard of it. Tasks are known by their keys: one of another
 * workspace is another task, whatever its id.
 */
export class TaskRoutes {
  readonly #byTask = new LRUCache<string, Route>({ max: REMEMBERED });
  readonly #byWorkflow = new LRUCache<string, Route>({ max: REMEMBERED });
  readonly #waiting = new Map<string, Set<(route: Route) => void>>();

  register(task: WorkspaceTask, workflowId: string): void {
    const key = taskKey(task);
    const route = this.to(workflowId);
    this.#byTask.set(key, route);
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    this.#waiting.delete(key);
    for (const tell of waiting) tell(route);
  }

  find(task: WorkspaceTask): Route | undefined {
    return this.#byTask.peek(taskKey(task));
  }

  /** The route to a workflow, however it was found: all its tasks share one. */
  to(workflowId: string): Route {
    const known = this.#byWorkflow.get(workflowId);
    if (known !== undefined) return known;
    const route: Route = { workflowId, signals: 0, underWay: [] };
    this.#byWorkflow.set(workflowId, route);
    return route;
  }

  /**
   * Calls `tell` once if the task is registered later on.
   *
   * @returns ends the wait
   */
  onRegistered(task: WorkspaceTask, tell: (route: Route) => void): () => void {
    const key = taskKey(task);
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(tell));
    return () => {
      waiting.delete(tell);
      if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
    };
  }
}
