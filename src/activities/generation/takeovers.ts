import QuickLRU from 'quick-lru';
import { taskKey, type WorkspaceTask } from '../../contract/tasks/workspace-task.ts';

const REMEMBERED = 10_000;

/**
 * The tasks whose runs this process took over from another one. If that one died over a task's files, so might this one:
 * a local activity leaves no trace in a history, and Temporal hands its workflow task from worker to worker without
 * end. So the files of these tasks are left to ordinary activities, and the workflow counts the workers that they cost.
 */
export class Takeovers {
  readonly #tasks = new QuickLRU<string, true>({ maxSize: REMEMBERED });

  add(task: WorkspaceTask): void {
    this.#tasks.set(taskKey(task), true);
  }

  has(task: WorkspaceTask): boolean {
    return this.#tasks.has(taskKey(task));
  }
}
