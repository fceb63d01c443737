import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { readStart } from '../../temporal/history.ts';

/** Attempts that are followed back. */
const MAX_ATTEMPTS = 1_000;

/**
 * The run that the first attempt of the workflow that asks went on for: its children are named by it.
 *
 * @returns null where it was the first run of all
 * @throws UNKNOWN where an attempt has been removed: another name would buy everything again
 */
export async function roundOfAttempt(client: Client): Promise<string | null> {
  const { workflowId, runId } = Context.current().info.workflowExecution ?? { workflowId: '', runId: '' };
  let at = runId;
  for (let looked = 0; looked < MAX_ATTEMPTS; looked += 1) {
    const start = await readStart(client, workflowId, at);
    if (start === undefined) break;
    const before = start.continuedExecutionRunId || null;
    if (before === null || (start.attempt ?? 1) <= 1) return before;
    at = before;
  }
  throw ApplicationFailure.nonRetryable(
    `the server no longer has ${at}, an earlier attempt of ${workflowId}: give its children a key`,
    'UNKNOWN',
  );
}
