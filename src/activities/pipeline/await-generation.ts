import { Context } from '@temporalio/activity';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import type { FoundGeneration, StepToFind } from '../../contract/activities.ts';
import type { GenerationRequest, GenerationResult } from '../../contract/generation.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';
import { isSameStep } from './step-to-find.ts';

/**
 * Takes over a generation that an earlier run of the pipeline has started: waits for its end, for as long as it
 * takes, heartbeating. One that is Reset meanwhile goes on in another run, and is followed there.
 */
export async function awaitGeneration(client: Client, step: StepToFind): Promise<FoundGeneration> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), 5_000);
  try {
    let ended: string | undefined;
    for (;;) {
      const started = await readLatestRun<GenerationRequest>(client, step.workflowId);
      if (started === undefined || !isSameStep(started.request, step)) return { kind: 'different' };
      if (started.runId === ended) return { kind: 'failed', runId: ended };
      const result = await Promise.race([
        resultOf(client, step.workflowId, started.runId),
        context.cancelled,
      ]);
      if (result !== undefined) return { kind: 'completed', result };
      ended = started.runId;
    }
  } finally {
    clearInterval(beat);
  }
}

/** A run's result, once it has ended; undefined where it ended without one. */
async function resultOf(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<GenerationResult | undefined> {
  try {
    const result: unknown = await client.workflow.getHandle(workflowId, runId).result();
    return result as GenerationResult; // the workflow's own result type
  } catch (error) {
    if (error instanceof WorkflowFailedError) return undefined;
    throw error;
  }
}
