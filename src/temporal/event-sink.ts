import type { CreatedTask } from '../contract/entities/task-notices.ts';
import type { TaskEvent } from '../contract/generation.ts';
import type { WorkspaceTask } from '../contract/tasks/workspace-task.ts';

/**
 * What became of a signal: taken; not needed, because the workflow is closed or was never there; or not wanted,
 * because the run has had as many signals as the server allows (10,000).
 */
export type SignalResult = 'taken' | 'closed' | 'exhausted';

/** The receiver's side of Temporal. Every method throws when Temporal cannot be reached or refuses. */
export interface EventSink {
  /** Signals `taskEvent` to a workflow's current run. */
  signal(workflowId: string, event: TaskEvent): Promise<SignalResult>;
  /** Tells `unclaimed-tasks/<workspace>` of a created task; with an owner, only that workflow may claim it. */
  unclaimed(workspace: string, task: CreatedTask, owner: string | undefined): Promise<void>;
  /** Tells `unclaimed-tasks/<workspace>`, where it runs, that events of the workspace had to wait. */
  delayed(workspace: string): Promise<void>;
  /**
   * One visibility query: the workflow id of each of these tasks that a workflow of its own workspace holds, by the
   * task's key.
   *
   * @throws VisibilityBusyError when the server refuses because of its rate limit
   */
  find(tasks: readonly WorkspaceTask[]): Promise<ReadonlyMap<string, string>>;
  /** Whether Temporal takes what is handed over now, its database with it. Never throws. */
  reachable(): Promise<boolean>;
}

/** The server refused a visibility query because of its rate limit. */
export class VisibilityBusyError extends Error {
  override readonly name = 'VisibilityBusyError';
}
