import { setTimeout as delay } from 'node:timers/promises';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { TerminatedFailure } from '@temporalio/common';
import { mayAnswerLater, pauseAfter } from './away.ts';
import { type ReadFailure, readFailure } from './read-failure.ts';
import { SharedWork } from './shared-work.ts';

export type Outcome = { ok: true; result: unknown } | { ok: false; failure: ReadFailure };

const ends = new SharedWork<Outcome>();

/**
 * Waits for a run's end, for as long as it takes, by one long poll for all who do: also while Temporal is away. Where an
 * operator resets the run, the run that goes on in its place is followed.
 *
 * @param signal ends the waiting with its reason
 */
export async function followResult(
  client: Client,
  workflowId: string,
  runId: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<Outcome> {
  const key = `${workflowId} ${runId}`;
  return await ends.join(client, key, signal, (gone) => untilEnded(client, { workflowId, runId }, gone));
}

async function untilEnded(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
  gone: AbortSignal,
): Promise<Outcome> {
  let followed = runId;
  for (let failures = 0; ; ) {
    try {
      const end = await outcomeOf(client, workflowId, followed);
      if (typeof end !== 'string') return end;
      followed = end;
      failures = 0;
    } catch (error) {
      if (!mayAnswerLater(error)) throw error;
      failures += 1;
      await delay(pauseAfter(failures), undefined, { signal: gone });
    }
  }
}

/** @returns the id of the run that goes on in its place, where it was Reset */
async function outcomeOf(client: Client, workflowId: string, runId: string): Promise<Outcome | string> {
  try {
    return { ok: true, result: await client.workflow.getHandle(workflowId, runId).result() };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const next = error.cause instanceof TerminatedFailure ? await latestRun(client, workflowId) : runId;
    return next === runId
      ? { ok: false, failure: await readFailure(client, error, workflowId, runId) }
      : next;
  }
}

async function latestRun(client: Client, workflowId: string): Promise<string> {
  return (await client.workflow.getHandle(workflowId).describe()).runId;
}
