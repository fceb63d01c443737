import { entityId } from '../names.ts';
import type { Claim, CreatedTaskNotice, UnclaimedTasksState } from './contract.ts';

/** The signals that start `unclaimed-tasks/<workspace>` where it does not run, with their argument. */
interface Messages {
  taskCreated: CreatedTaskNotice;
  claimRequested: Claim;
}

/** Options for a client's `signalWithStart('unclaimedTasks', …)`. */
export function toUnclaimedTasks<Name extends keyof Messages>(
  workspace: string,
  taskQueue: string,
  signal: Name,
  argument: Messages[Name],
): {
  workflowId: string;
  taskQueue: string;
  args: [UnclaimedTasksState];
  signal: Name;
  signalArgs: [Messages[Name]];
  staticSummary: string;
} {
  return {
    workflowId: entityId('unclaimed-tasks', workspace, taskQueue),
    taskQueue,
    args: [{ workspace }],
    signal,
    signalArgs: [argument],
    staticSummary: `tasks of workspace ${workspace} that nobody holds, and who looks for them`,
  };
}
