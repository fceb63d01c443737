import { type Client, WorkflowFailedError } from '@temporalio/client';
import { TerminatedFailure } from '@temporalio/common';
import { type ReadFailure, readFailure } from './read-failure.ts';

export type Outcome = { ok: true; result: unknown } | { ok: false; failure: ReadFailure };

/**
 * Waits for a run's end, for as long as it takes. Where an operator resets the run, the run that goes on in its
 * place is followed.
 */
export async function followResult(client: Client, workflowId: string, runId: string): Promise<Outcome> {
  let followed = runId;
  for (;;) {
    try {
      return { ok: true, result: await client.workflow.getHandle(workflowId, followed).result() };
    } catch (error) {
      if (!(error instanceof WorkflowFailedError)) throw error;
      const next = error.cause instanceof TerminatedFailure ? await latestRun(client, workflowId) : followed;
      if (next === followed)
        return { ok: false, failure: await readFailure(client, error, workflowId, followed) };
      followed = next;
    }
  }
}

async function latestRun(client: Client, workflowId: string): Promise<string> {
  return (await client.workflow.getHandle(workflowId).describe()).runId;
}
