import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { DEFAULT_TASK_QUEUE } from '../contract/workflow-ids.ts';

const { TaskQueueType } = proto.temporal.api.enums.v1;

/** Workers and runs that are looked at for the names of task queues. */
const LOOKED_AT = 100;
/** Task queues that are asked about. */
const MOST_ASKED = 20;

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

/**
 * The task queues of the namespace that workers poll for workflows, by name. Temporal has no list of them: workers say
 * what they poll in heartbeats (servers from 1.31 on keep them), and generations and pipelines of late were on some.
 */
export async function polledQueues(client: Client): Promise<string[]> {
  const [ofWorkers, ofRuns] = await Promise.all([
    queuesOfWorkers(client).catch(() => []), // an older server has no such call
    queuesOfRuns(client).catch(() => []), // visibility may be away
  ]);
  const candidates = [...new Set([DEFAULT_TASK_QUEUE, ...ofRuns, ...ofWorkers])].slice(0, MOST_ASKED);
  const polled = await Promise.all(candidates.map((queue) => isPolled(client, queue).catch(() => false)));
  return candidates.filter((_, index) => polled[index]).sort();
}

async function queuesOfWorkers(client: Client): Promise<string[]> {
  const { workersInfo } = await client.workflowService.listWorkers({
    namespace: client.options.namespace,
    pageSize: LOOKED_AT,
  });
  return (workersInfo ?? []).flatMap(({ workerHeartbeat }) => workerHeartbeat?.taskQueue || []);
}

async function queuesOfRuns(client: Client): Promise<string[]> {
  const { executions } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query: "WorkflowType IN ('generation', 'pipeline')",
    pageSize: LOOKED_AT,
  });
  return (executions ?? []).flatMap(({ taskQueue }) => taskQueue || []);
}
