import type { Sinks } from '@temporalio/workflow';
import type { WorkspaceTask } from './tasks/workspace-task.ts';

/**
 * What workflows tell the process that runs them: it leaves no trace in a history, and nothing comes back. A task that
 * is told of is in a history of its workflow: the server has handed it out from there.
 */
export interface DarkroomSinks extends Sinks {
  tasks: {
    /** This run holds the task from now on; told again whenever it is replayed. */
    held(task: WorkspaceTask): void;
  };
}
