import type { Client, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';

/** A failed workflow as plain data: what the contract calls `{ type, message, details }`. */
export interface ReadFailure {
  type: string;
  message: string;
  details: unknown;
}

/** Reads why a workflow closed without a result. A cancelled generation leaves what it knows in its memo. */
export async function readFailure(
  client: Client,
  error: WorkflowFailedError,
  workflowId: string,
  runId: string,
): Promise<ReadFailure> {
  const { cause } = error;
  if (cause instanceof ApplicationFailure) {
    return { type: cause.type ?? 'UNKNOWN', message: cause.message, details: cause.details?.[0] ?? null };
  }
  if (cause instanceof CancelledFailure) {
    const { memo } = await client.workflow.getHandle(workflowId, runId).describe();
    return { type: 'CANCELLED', message: 'the workflow was cancelled', details: memo?.['cancelled'] ?? null };
  }
  if (cause instanceof TerminatedFailure) {
    return { type: 'TERMINATED', message: `the workflow was terminated: ${cause.message}`, details: null };
  }
  if (cause instanceof TimeoutFailure) {
    return { type: 'TIMED_OUT', message: 'the workflow ran into its own time-out', details: null };
  }
  return { type: 'UNKNOWN', message: cause?.message ?? error.message, details: null };
}
