import type { Sinks } from '@temporalio/workflow';
import type { Attempt } from './generation.ts';
import type { WorkspaceTask } from './tasks/workspace-task.ts';

/** An attempt that has ended, for the metrics. */
export interface AttemptReport {
  model: string;
  workspace: string;
  outcome: Attempt['outcome'];
  code: string | null;
  /** Charged in this run. */
  credits: number;
  settledBy: Attempt['settledBy'];
  /** Milliseconds that the run has held the task; null without one. */
  lasted: number | null;
}

/**
 * What workflows tell the process that runs them: it leaves no trace in a history, and nothing comes back. A task that
 * is told of is in a history of its workflow: the server has handed it out from there.
 */
export interface DarkroomSinks extends Sinks {
  tasks: {
    /** This run holds the task from now on; told again whenever it is replayed. */
    held(task: WorkspaceTask): void;
  };
  /** For the metrics; not told in a replay. `name`: the run's own for what it tells, by which it counts once. */
  counts: {
    attempted(name: string, report: AttemptReport): void;
    /** A submit that was given up has been charged. */
    charged(name: string, charge: { model: string; workspace: string; credits: number }): void;
    adopted(name: string, model: string): void;
    /** A person is asked. */
    asked(name: string, model: string): void;
  };
}
