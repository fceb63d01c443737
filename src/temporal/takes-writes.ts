import { status } from '@grpc/grpc-js';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { grpcStatus, isNotFound } from './grpc-status.ts';

/** Nobody has this workflow id. */
const NOBODY = 'darkroom-readiness';

/** The server answers, and this kind of write is not to be had from it, or not now. */
const WITHOUT_SETTINGS: ReadonlySet<status> = new Set([
  status.UNIMPLEMENTED,
  status.PERMISSION_DENIED,
  status.RESOURCE_EXHAUSTED,
]);

/**
 * Whether Temporal takes what is handed over to it, and its database with it. Two calls leave nothing behind: a signal
 * goes the way of an event, and ends where its workflow is not found; and a setting of a task queue that nobody uses is
 * written, the same row each time. A server whose database is away goes on answering `getSystemInfo`.
 */
export async function takesWrites(client: Client, taskQueue: string): Promise<boolean> {
  const answers = await Promise.all([
    signalsNobody(client).then(
      () => true,
      (error: unknown) => isNotFound(error),
    ),
    writesSetting(client, taskQueue).then(
      () => true,
      (error: unknown) => WITHOUT_SETTINGS.has(grpcStatus(error).code ?? status.OK),
    ),
  ]);
  return answers.every((isTaken) => isTaken);
}

async function signalsNobody({ workflowService, options }: Client): Promise<void> {
  await workflowService.signalWorkflowExecution({
    namespace: options.namespace,
    identity: options.identity,
    workflowExecution: { workflowId: NOBODY },
    signalName: 'isThere',
  });
}

async function writesSetting({ workflowService, options }: Client, taskQueue: string): Promise<void> {
  await workflowService.updateTaskQueueConfig({
    namespace: options.namespace,
    identity: options.identity,
    taskQueue: `${taskQueue}-readiness`,
    taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    updateQueueRateLimit: { reason: 'readiness' },
  });
}
