import { type Client, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { FoundGeneration, GenerationLook, LookedAt, StepToFind } from '../../contract/activities.ts';
import type { GenerationRequest, GenerationResult } from '../../contract/generation.ts';
import { progressQuery } from '../../contract/messages.ts';
import type { StepFailure } from '../../contract/pipeline.ts';
import { stepFailure } from '../../contract/step-failure.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';
import { likeness, originsOf } from '../../temporal/reuse/same-step.ts';

/** How long a closed run is asked for what it did (milliseconds). */
const QUERY_PATIENCE = 5_000;

/**
 * One short look at the generation of a step: whether there is one, how it stands, what it made. It never waits, so it
 * holds no slot that the generation's own activities need. One that is Reset goes on in another run, and is looked at
 * there.
 *
 * @throws STILL_RUNNING where `wait` is set and it runs: Temporal looks again, later and later
 */
export async function lookAtGeneration(client: Client, look: GenerationLook): Promise<LookedAt> {
  const run = await readLatestRun<GenerationRequest>(client, look.workflowId);
  if (run === undefined) return { kind: 'missing' };
  const { runId, request, isClosed, startedAt } = run;
  const origins = originsOf(run.memo);
  const alike = look.asItIs === true ? 'same' : likeness({ request, origins }, look);
  if (alike === 'different') return { kind: 'different', isRunning: !isClosed };
  const started = {
    runId,
    startedAt,
    ...(alike === 'same' ? {} : { other: { input: request?.input ?? {}, origins } }),
  };
  if (!isClosed) {
    if (look.wait && alike === 'same') throw stillRunning(look.workflowId);
    const { state } = run;
    return { kind: 'running', ...(state === undefined ? {} : { state }), ...started };
  }
  const outcome = await outcomeOf(client, look.workflowId, runId);
  return 'result' in outcome
    ? { kind: 'completed', result: outcome.result, ...started }
    : { kind: 'failed', failure: outcome.failure, ...started };
}

/** The same for pipelines that release 0.1 has started: it knew only generations that had ended. */
export async function awaitGeneration(client: Client, step: StepToFind): Promise<FoundGeneration> {
  const found = await lookAtGeneration(client, { ...step, wait: true });
  if (found.kind === 'completed') return { kind: 'completed', result: found.result };
  return found.kind === 'failed' ? { kind: 'failed', runId: found.runId } : { kind: 'different' };
}

/** No failure that anybody has to hear of: it is how Temporal is told to look again. */
export function stillRunning(workflowId: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'STILL_RUNNING',
    message: `${workflowId} still runs: it is looked at again, later and later`,
    category: ApplicationFailureCategory.BENIGN,
  });
}

/** How a closed run has ended. */
export async function outcomeOf(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<{ result: GenerationResult } | { failure: StepFailure }> {
  try {
    const handle = client.workflow.getHandle(workflowId, runId, { followRuns: false });
    return { result: (await handle.result()) as GenerationResult }; // the workflow's own result type
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const failure = stepFailure(error.cause);
    return {
      failure: { ...failure, details: failure.details ?? (await spentBy(client, workflowId, runId)) },
    };
  }
}

/**
 * What a run that was cancelled or terminated has bought: such an end carries no details. Null where no worker answers.
 */
async function spentBy(client: Client, workflowId: string, runId: string): Promise<unknown> {
  try {
    const { attempts, usage, taskId } = await client.withDeadline(Date.now() + QUERY_PATIENCE, () =>
      client.workflow.getHandle(workflowId, runId).query(progressQuery),
    );
    return { attempts, usage, taskId };
  } catch {
    return null;
  }
}
