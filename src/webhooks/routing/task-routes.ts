import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import QuickLRU from 'quick-lru';
import { taskKey, type WorkspaceTask } from '../../contract/tasks/workspace-task.ts';
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

/** At least; up to twice as many. */
const REMEMBERED = 50_000;

/**
 * Which workflow submitted a task, for the tasks that this very process submitted: always right about who got the
 * API's answer, but no proof that the workflow has heard of it. And which tasks are held, by workflows that have told so
 * in this process: they have them from their histories, so that is proof. Tasks are known by their keys: one of another
 * workspace is another task, whatever its id.
 */
export class TaskRoutes {
  readonly #byTask = new QuickLRU<string, Route>({ maxSize: REMEMBERED });
  readonly #byWorkflow = new QuickLRU<string, Route>({ maxSize: REMEMBERED });
  readonly #held = new QuickLRU<string, true>({ maxSize: REMEMBERED });
  readonly #told = new EventEmitter().setMaxListeners(0);
  readonly #submits = new Map<string, Set<Promise<void>>>();
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

  /**
   * A workflow that runs in this process has taken a task into its run.
   *
   * @returns whether that is news here
   */
  confirm(task: WorkspaceTask, workflowId: string): boolean {
    const key = taskKey(task);
    const isNew = !this.#held.has(key);
    this.#held.set(key, true);
    this.register(task, workflowId);
    this.#told.emit(key);
    return isNew;
  }

  /** Whether a workflow has told this process that it holds the task, or does so within that time (milliseconds). */
  async isHeld(task: WorkspaceTask, within: number): Promise<boolean> {
    const key = taskKey(task);
    if (this.#held.has(key)) return true;
    return await once(this.#told, key, { signal: AbortSignal.timeout(Math.ceil(within)) }).then(
      () => true,
      () => false,
    );
  }

  /**
   * A submit of this process begins. Its task may be told of before the API has answered.
   *
   * @returns to be called when it has ended
   */
  submitting(workspace: string): () => void {
    const open = this.#submits.get(workspace) ?? new Set();
    this.#submits.set(workspace, open);
    const { promise, resolve } = Promise.withResolvers<void>();
    open.add(promise);
    return () => {
      open.delete(promise);
      resolve();
    };
  }

  /**
   * Waits until the submits have ended that are under way now in a workspace, for so long at most (milliseconds).
   *
   * @returns whether there were any
   */
  async submitsEnded(workspace: string, within: number): Promise<boolean> {
    const open = [...(this.#submits.get(workspace) ?? [])];
    if (open.length === 0) return false;
    const late = new AbortController();
    const { signal } = late;
    await Promise.race([Promise.all(open), delay(within, undefined, { signal, ref: false })]);
    late.abort();
    return true;
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
