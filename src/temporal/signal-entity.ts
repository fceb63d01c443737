import type { Client, WorkflowSignalWithStartOptions } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import QuickLRU from 'quick-lru';
import { describeRun } from './describe-run.ts';

interface Entity {
  runId: string;
  /** Of its first run: it is the same for those that have continued as new. */
  firstRunId: string;
}

/** Entities whose type has been looked at, by client and workflow id. */
const looked = new WeakMap<Client, QuickLRU<string, Entity>>();

/**
 * Signals an entity, and starts it where it does not run. Anybody can start a workflow of another type under its id, and
 * that one would take the signal and do nothing: so the type of a run is looked at once, before its first signal.
 *
 * @returns the id of its first run; undefined where it is gone again
 * @throws NOT_AN_ENTITY, which no retry changes, where a workflow of another type runs under the id
 */
export async function signalEntity<Argument>(
  client: Client,
  type: string,
  options: WorkflowSignalWithStartOptions<[Argument]> & { args: unknown[] },
): Promise<string | undefined> {
  const { workflowId } = options;
  const known = looked.get(client) ?? new QuickLRU<string, Entity>({ maxSize: 1_000 });
  looked.set(client, known);
  if (!known.has(workflowId)) await check(client, type, workflowId);
  const { signaledRunId } = await client.workflow.signalWithStart(type, options);
  const before = known.get(workflowId);
  if (before?.runId === signaledRunId) return before.firstRunId;
  known.delete(workflowId);
  const firstRunId = await check(client, type, workflowId, signaledRunId);
  if (firstRunId !== undefined) known.set(workflowId, { runId: signaledRunId, firstRunId });
  return firstRunId;
}

/** Whether a signal was not taken because the id is another workflow's. */
export function isNotAnEntity(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.type === 'NOT_AN_ENTITY';
}

/** @returns the id of its first run */
async function check(
  client: Client,
  type: string,
  workflowId: string,
  runId?: string,
): Promise<string | undefined> {
  const run = await describeRun(client, workflowId, runId);
  if (run === undefined) return undefined;
  if (run.type === type || (runId === undefined && run.closeTime !== undefined))
    return run.raw.workflowExecutionInfo?.firstRunId ?? run.runId;
  throw ApplicationFailure.nonRetryable(
    `a workflow of type ${run.type} runs as ${workflowId}, which is the id of a ${type}: terminate it`,
    'NOT_AN_ENTITY',
  );
}
