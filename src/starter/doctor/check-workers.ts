import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { type CheckResult, type Finding, failure, ok, warning } from '../../contract/finding.ts';
import { formatDuration } from '../../policy/duration.ts';

/** How long the workers have to answer, and after how long Temporal ends the check in any case (milliseconds). */
const PATIENCE = 120_000;
const BRIEFLY = 3_000;
const LONGEST = '5 minutes';
/** Clocks that differ by more make a warning; by half of what a signature may be old, a failure (milliseconds). */
const NOTICEABLE = 10_000;
const HARMFUL = 150_000;

/** A check that the workers of a task queue have been asked for. */
export interface AskedCheck {
  handle: WorkflowHandle<() => Promise<CheckResult>>;
  /** Milliseconds that Temporal's clock is ahead of ours, at least; behind: below zero. */
  offset: number;
}

/** Starts the workflow `darkroomCheck`: a worker checks its own place. Its start shows Temporal's clock as well. */
export async function askWorkers(client: Client, taskQueue: string): Promise<AskedCheck> {
  const before = Date.now();
  const handle = await client.workflow.start<() => Promise<CheckResult>>('darkroomCheck', {
    taskQueue,
    workflowId: `darkroom-check/${randomUUID()}`,
    workflowExecutionTimeout: LONGEST,
    staticSummary: 'asked for by doctor',
  });
  const after = Date.now();
  const server = (await handle.describe()).startTime.getTime();
  return { handle, offset: server < before ? server - before : Math.max(0, server - after) };
}

export function checkClock({ offset }: AskedCheck): Finding {
  const check = 'clock';
  if (Math.abs(offset) <= NOTICEABLE) return ok(check, "It agrees with Temporal's.");
  const words = `The clock here is ${formatDuration(Math.abs(offset))} ${offset > 0 ? 'behind' : 'ahead of'} Temporal's.`;
  const fix = 'Synchronise the clocks (NTP): signatures of webhooks are refused when they are 5 min off.';
  return Math.abs(offset) > HARMFUL ? failure(check, words, fix) : warning(check, words, fix);
}

/**
 * What the workers have found; undefined where none has taken the check.
 *
 * @param isTaken whether any worker is known to take it: otherwise it is waited for briefly, since the server does not
 *   know of every poll that is under way
 */
export async function workersFindings(
  client: Client,
  { handle }: AskedCheck,
  isTaken: boolean,
): Promise<Finding[] | undefined> {
  const late = AbortSignal.timeout(isTaken ? PATIENCE : BRIEFLY);
  try {
    return (await client.withAbortSignal(late, () => handle.result())).findings;
  } catch (error) {
    if (late.aborted) await handle.terminate('no worker has answered in time').catch(() => undefined);
    if (late.aborted && !isTaken) return undefined;
    const reason = late.aborted
      ? `No worker has finished a check within ${formatDuration(PATIENCE)}.`
      : `The check has failed: ${error instanceof Error ? error.message : String(error)}`;
    const fix = `Look at workflow ${handle.workflowId} and the workers' logs; workers older than this command do not know it.`;
    return [failure('workers', reason, fix)];
  }
}
