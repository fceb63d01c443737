import type { SignalDefinition } from '@temporalio/common';
import { fieldDigests, withTemplate } from '../api/input/field-digests.ts';
import { given } from '../api/json/given.ts';
import { parseTimestamp } from '../api/records/timestamp.ts';
import type { CreatedTask, TaskNotice } from '../contract/entities/task-notices.ts';
import type { UnclaimedTasksState } from '../contract/entities/unclaimed-tasks.ts';
import { entityId } from '../contract/workflow-ids.ts';

/** Options for a client's `signalWithStart('unclaimedTasks', …)`: the entity is started where it does not run. */
export function toUnclaimedTasks<Argument>(
  workspace: string,
  taskQueue: string,
  signal: SignalDefinition<[Argument]>,
  argument: NoInfer<Argument>,
) {
  return {
    workflowId: entityId('unclaimed-tasks', workspace, taskQueue),
    taskQueue,
    args: [{ workspace }] satisfies [UnclaimedTasksState],
    signal,
    signalArgs: [argument] satisfies [Argument],
    staticSummary: `tasks of workspace ${workspace} that nobody holds, and who looks for them`,
  };
}

/** What is handed over of a task that an event tells of: nothing of its input but digests. */
export function noticeOf(
  { taskId, input, templateId, createdAt, recordsBehind = 0, receivedAt, artifacts, credits }: CreatedTask,
  owner: string | undefined,
): TaskNotice {
  const created = parseTimestamp(createdAt ?? '');
  return {
    taskId,
    arrivedAt: receivedAt,
    createdAt: Number.isNaN(created) ? null : created + recordsBehind,
    fields: withTemplate(fieldDigests(input), templateId),
    ...given({ owner, artifacts, credits }),
  };
}
