import { status } from '@grpc/grpc-js';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import pLimit from 'p-limit';
import { eventsDelayedSignal, taskEventSignal } from '../contract/messages.ts';
import { DarkroomTaskId, DarkroomWorkspace } from '../contract/search-attributes.ts';
import { taskKey } from '../contract/tasks/workspace-task.ts';
import { entityId } from '../contract/workflow-ids.ts';
import { type EventSink, VisibilityBusyError } from './event-sink.ts';
import { grpcStatus, isBusy, isNotSearchable } from './grpc-status.ts';
import { takesWrites } from './takes-writes.ts';
import { TaskHandOver } from './task-hand-over.ts';
import { noticeOf } from './unclaimed-tasks.ts';
import { holdersOf } from './visibility-query.ts';

export interface TemporalSinkOptions {
  client: Client;
  /** Where `unclaimedTasks` runs. */
  taskQueue: string;
  /** Milliseconds for a signal, with the client's own retries. */
  signalTimeout?: number;
  /** Milliseconds for a visibility query. */
  queryTimeout?: number;
}

/** Signals under way at the same time: more would only wait inside the server, their time-outs running. */
const SIGNALS_AT_ONCE = 128;

/** The receiver's events handed over through Temporal's client. */
export function createTemporalSink({
  client,
  taskQueue,
  signalTimeout = 5_000,
  queryTimeout = 2_000,
}: TemporalSinkOptions): EventSink {
  const inTurn = pLimit(SIGNALS_AT_ONCE);
  const handOver = new TaskHandOver(client, taskQueue, { timeout: signalTimeout });
  const within = <T>(milliseconds: number, call: () => Promise<T>): Promise<T> =>
    client.withDeadline(Date.now() + milliseconds, call);

  return {
    signal: (workflowId, event) =>
      inTurn(async () => {
        try {
          const handle = client.workflow.getHandle(workflowId);
          await within(signalTimeout, () => handle.signal(taskEventSignal, event));
          return 'taken';
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return 'closed';
          if (hasTooManySignals(error)) return 'exhausted';
          throw error;
        }
      }),

    unclaimed: (workspace, task, owner) => handOver.tell(workspace, noticeOf(task, owner)),

    delayed: (workspace) =>
      inTurn(async () => {
        try {
          const handle = client.workflow.getHandle(entityId('unclaimed-tasks', workspace, taskQueue));
          await within(signalTimeout, () => handle.signal(eventsDelayedSignal));
        } catch (error) {
          // Nobody looks for a task.
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        }
      }),

    async find(tasks) {
      const query = holdersOf([...new Set(tasks.map(({ taskId }) => taskId))]);
      if (query === undefined) return new Map();
      try {
        return await within(queryTimeout, () => holders(client, query));
      } catch (error) {
        // No worker has been here yet, so no workflow can hold a task.
        if (isNotSearchable(error)) return new Map();
        if (isBusy(error))
          throw new VisibilityBusyError('the server refuses visibility queries', { cause: error });
        throw error;
      }
    },

    reachable: () => within(queryTimeout, () => takesWrites(client, taskQueue)).catch(() => false),
  };
}

/**
 * The workflows that hold tasks, by the tasks' keys: each counts for its own workspace alone. A task may show up in
 * several runs and workflows: a running one comes first, then the one started last.
 */
async function holders(client: Client, query: string): Promise<Map<string, string>> {
  const best = new Map<string, { workflowId: string; running: boolean; startTime: Date }>();
  for await (const { workflowId, startTime, closeTime, typedSearchAttributes } of client.workflow.list({
    query,
  })) {
    const taskId = typedSearchAttributes.get(DarkroomTaskId);
    const workspace = typedSearchAttributes.get(DarkroomWorkspace);
    if (taskId === undefined || workspace === undefined) continue;
    const key = taskKey({ workspace, taskId });
    const running = closeTime === undefined;
    const known = best.get(key);
    if (known === undefined || (running === known.running ? startTime > known.startTime : running)) {
      best.set(key, { workflowId, running, startTime });
    }
  }
  return new Map([...best].map(([key, { workflowId }]) => [key, workflowId]));
}

/** "exceeded workflow execution limit for signal events": the server's words, it has no code of its own. */
function hasTooManySignals(error: unknown): boolean {
  const { code, details } = grpcStatus(error);
  return code === status.INVALID_ARGUMENT && /limit for signal events/.test(details);
}
