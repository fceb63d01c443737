import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import proto, { type temporal } from '@temporalio/proto';
import { isNotFound } from './grpc-status.ts';

const { CONTINUE_AS_NEW_INITIATOR_WORKFLOW, CONTINUE_AS_NEW_INITIATOR_CRON_SCHEDULE } =
  proto.temporal.api.enums.v1.ContinueAsNewInitiator;

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads;

/** Milliseconds for reading one: without, a server that is frozen would keep the call for good. */
const PATIENCE = 60_000;

/** A workflow run's whole history; undefined when the server no longer has it. */
export async function readHistory(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<HistoryEvent[] | undefined> {
  try {
    const history = await client.withDeadline(Date.now() + PATIENCE, () =>
      client.workflow.getHandle(workflowId, runId).fetchHistory(),
    );
    return history.events ?? [];
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The facts of a run's start, read without the rest of its history; undefined where the server has deleted the run. */
export async function readStart(client: Client, workflowId: string, runId: string) {
  try {
    const { history } = await client.withDeadline(Date.now() + PATIENCE, () =>
      client.workflowService.getWorkflowExecutionHistory({
        namespace: client.options.namespace,
        execution: { workflowId, runId },
        maximumPageSize: 1,
      }),
    );
    return history?.events?.[0]?.workflowExecutionStartedEventAttributes ?? undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The one argument that a run was started with; undefined where the server has deleted it. */
export async function readRequest<Request>(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<Request | undefined> {
  return requestOf<Request>(await readStart(client, workflowId, runId));
}

export function requestOf<Request>(
  start: HistoryEvent['workflowExecutionStartedEventAttributes'],
): Request | undefined {
  return decode(start?.input)[0] as Request | undefined; // the caller knows the workflow's type
}

/**
 * Which run a run follows, and why: its workflow has continued as new; or Temporal has started it again, after a
 * failure or a time-out by a retry policy, or by a cron schedule, and it knows nothing of the one before it.
 */
export function predecessorOf(
  start: HistoryEvent['workflowExecutionStartedEventAttributes'],
): { runId: string; why: 'continued' | 'retried' | 'cron' } | undefined {
  const runId = start?.continuedExecutionRunId;
  if (!runId) return undefined;
  if (start.initiator === CONTINUE_AS_NEW_INITIATOR_WORKFLOW) return { runId, why: 'continued' };
  return { runId, why: start.initiator === CONTINUE_AS_NEW_INITIATOR_CRON_SCHEDULE ? 'cron' : 'retried' };
}

/** The run that this one was reset from, as its own early `WorkflowTaskFailed` event tells. */
export function resetFrom(events: readonly HistoryEvent[]): string | undefined {
  return resetOf(events)?.workflowTaskFailedEventAttributes?.baseRunId ?? undefined;
}

/**
 * When a run itself began, in milliseconds since the epoch: that of a Reset has copies of another run's events before, the
 * times of these included.
 */
export function beganAt(events: readonly HistoryEvent[]): number {
  const began = resetOf(events) ?? events[0];
  return began === undefined ? 0 : timeOf(began);
}

function resetOf(events: readonly HistoryEvent[]): HistoryEvent | undefined {
  return events.findLast(
    ({ workflowTaskFailedEventAttributes: failed }) =>
      typeof failed?.baseRunId === 'string' && failed.baseRunId !== '',
  );
}

/** Milliseconds since the epoch. */
export function timeOf(event: HistoryEvent): number {
  const { seconds, nanos } = event.eventTime ?? {};
  return Number(seconds ?? 0) * 1_000 + Math.floor((nanos ?? 0) / 1e6);
}

export function decode<Values extends unknown[]>(payloads: Payloads | null | undefined): Partial<Values> {
  const values = (payloads?.payloads ?? []).map((payload) => defaultPayloadConverter.fromPayload(payload));
  return values as Partial<Values>; // as our own code has written them: the caller says what that was
}

/** The values of a memo, by name. */
export function decodeFields(
  fields: Readonly<Record<string, temporal.api.common.v1.IPayload>> | null | undefined,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields ?? {}).map(([name, payload]) => [
      name,
      defaultPayloadConverter.fromPayload<unknown>(payload),
    ]),
  );
}
