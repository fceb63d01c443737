import type { SignalDefinition } from '@temporalio/common';
import type { UnclaimedTasksState } from '../contract/unclaimed-tasks.ts';
import { entityId } from '../contract/workflow-ids.ts';

/** Options for a client's `signalWithStart('unclaimedTasks', …)`: the entity is started where it does not run. */
export function toUnclaimedTasks<Argument>(
  workspace: string,
  taskQueue: string,
  signal: SignalDefinition<[Argument]>,
  argument: Argument,
) {
  return {
    workflowId: entityId('unclaimed-tasks', workspace, taskQueue),
    taskQueue,
    args: [{ workspace }] as [UnclaimedTasksState],
    signal,
    signalArgs: [argument] as [Argument],
    staticSummary: `tasks of workspace ${workspace} that nobody holds, and who looks for them`,
  };
}
