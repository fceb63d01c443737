import type { CreatedTask } from '../../src/contract/entities/task-notices.ts';
import type { TaskEvent } from '../../src/contract/generation.ts';
import { taskKey, type WorkspaceTask } from '../../src/contract/tasks/workspace-task.ts';
import { DEFAULT_WORKSPACE } from '../../src/contract/workflow-ids.ts';
import type { EventSink, SignalResult } from '../../src/temporal/event-sink.ts';

/** Temporal's place in the receiver's tests: keeps what it is given and answers as it is told. */
export class RecordingSink implements EventSink {
  readonly signals: { workflowId: string; event: TaskEvent }[] = [];
  readonly unclaimedTasks: { workspace: string; task: CreatedTask; owner: string | undefined }[] = [];
  /** The workspaces whose events are said to be late. */
  readonly delayedIn: string[] = [];
  readonly queries: WorkspaceTask[][] = [];
  /** What visibility shows: a task's key → workflow id. */
  readonly #visible = new Map<string, string>();
  /** Answers a signal; may throw. */
  onSignal: (workflowId: string) => SignalResult | Promise<SignalResult> = () => 'taken';
  /** Answers all that `unclaimed-tasks` is told; may throw. */
  onUnclaimed: () => void = () => {};
  /** Called before each query; may throw or wait. */
  onFind: () => void | Promise<void> = () => {};
  isReachable = true;

  async signal(workflowId: string, event: TaskEvent): Promise<SignalResult> {
    this.signals.push({ workflowId, event });
    return this.onSignal(workflowId);
  }

  async unclaimed(workspace: string, task: CreatedTask, owner: string | undefined): Promise<void> {
    this.onUnclaimed();
    this.unclaimedTasks.push({ workspace, task, owner });
  }

  async delayed(workspace: string): Promise<void> {
    this.onUnclaimed();
    this.delayedIn.push(workspace);
  }

  /** From now on visibility shows that a workflow holds the task. */
  show(taskId: string, workflowId: string, workspace: string = DEFAULT_WORKSPACE): void {
    this.#visible.set(taskKey({ workspace, taskId }), workflowId);
  }

  async find(tasks: readonly WorkspaceTask[]): Promise<ReadonlyMap<string, string>> {
    this.queries.push([...tasks]);
    await this.onFind();
    const keys = new Set(tasks.map(taskKey));
    return new Map([...this.#visible].filter(([key]) => keys.has(key)));
  }

  async reachable(): Promise<boolean> {
    return this.isReachable;
  }
}
