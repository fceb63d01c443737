import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';

const { TaskQueueType } = proto.temporal.api.enums.v1;

/**
 * Whether any worker polls a task queue for workflows. The server forgets one five minutes after its last poll, so
 * `true` says that there was one lately; `false` is sure.
 */
export async function isPolled(client: Client, taskQueue: string): Promise<boolean> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  return (pollers ?? []).length > 0;
}
