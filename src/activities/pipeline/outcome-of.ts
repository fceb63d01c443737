import { type Client, WorkflowFailedError } from '@temporalio/client';
import type { GenerationResult } from '../../contract/generation.ts';
import { progressQuery } from '../../contract/messages.ts';
import type { StepFailure } from '../../contract/pipeline.ts';
import { stepFailure } from '../../contract/steps/step-failure.ts';
import { isBusy } from '../../temporal/grpc-status.ts';

/** How long a closed run is asked for what it did (milliseconds). */
const QUERY_PATIENCE = 6_000;
/** A question that meets the end of the run may never be answered; the next one is, at once (milliseconds). */
const ONE_QUERY = 2_000;

export type RunOutcome = { result: GenerationResult } | { failure: StepFailure };

/** How a closed run has ended. */
export async function outcomeOf(client: Client, workflowId: string, runId: string): Promise<RunOutcome> {
  try {
    const handle = client.workflow.getHandle(workflowId, runId, { followRuns: false });
    return { result: (await handle.result()) as GenerationResult }; // the workflow's own result type
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const failure = stepFailure(error.cause);
    return {
      failure: {
        ...failure,
        details: failure.details ?? (await spentBy(client, workflowId, runId)),
      },
    };
  }
}

/**
 * What a run that was cancelled or terminated has bought: such an end carries no details. Null where no worker answers.
 */
async function spentBy(client: Client, workflowId: string, runId: string): Promise<unknown> {
  const until = Date.now() + QUERY_PATIENCE;
  while (Date.now() < until) {
    try {
      const deadline = Math.min(until, Date.now() + ONE_QUERY);
      const { attempts, usage, taskId } = await client.withDeadline(deadline, () =>
        client.workflow.getHandle(workflowId, runId).query(progressQuery),
      );
      return { attempts, usage, taskId };
    } catch (error) {
      if (!isBusy(error)) return null; // no worker, or no such run: it will not be otherwise the next time
    }
  }
  return null;
}
