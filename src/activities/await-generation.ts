import { isDeepStrictEqual } from 'node:util';
import { Context } from '@temporalio/activity';
import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import type { GenerationRequest, GenerationResult } from '../workflows/contract.ts';
import { decode } from './run-history.ts';

export interface StepToFind {
  workflowId: string;
  model: string;
  input: Record<string, unknown>;
}

export type FoundGeneration =
  | { kind: 'completed'; result: GenerationResult }
  | { kind: 'failed'; runId: string }
  /** It was started with another model or input, so its result is not this step's. */
  | { kind: 'different' };

/**
 * Takes over a generation that an earlier run of the pipeline has started: waits for its end, for as long as it
 * takes, heartbeating.
 */
export async function awaitGeneration(client: Client, step: StepToFind): Promise<FoundGeneration> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), 5_000);
  try {
    const started = await startOfLatest(client, step.workflowId);
    if (started === undefined || !isSame(started.request, step)) return { kind: 'different' };
    const handle = client.workflow.getHandle(step.workflowId, started.runId);
    const result = handle.result() as Promise<GenerationResult>; // the workflow's own result type
    return { kind: 'completed', result: await Promise.race([result, context.cancelled]) };
  } catch (error) {
    if (error instanceof WorkflowFailedError) {
      const { runId } = await client.workflow.getHandle(step.workflowId).describe();
      return { kind: 'failed', runId };
    }
    throw error;
  } finally {
    clearInterval(beat);
  }
}

/** The result of an equal step in an earlier pipeline, if it has completed; null otherwise. */
export async function findCompletedGeneration(
  client: Client,
  step: StepToFind,
): Promise<GenerationResult | null> {
  try {
    const description = await client.workflow.getHandle(step.workflowId).describe();
    if (description.status.name !== 'COMPLETED') return null;
    const started = await startOfLatest(client, step.workflowId);
    if (started === undefined || !isSame(started.request, step)) return null;
    return (await client.workflow.getHandle(step.workflowId, description.runId).result()) as GenerationResult;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

function isSame(request: GenerationRequest, step: StepToFind): boolean {
  return request.model === step.model && isDeepStrictEqual(request.input, step.input);
}

/** The argument that the latest run of a workflow id was started with; reads one event. */
async function startOfLatest(
  client: Client,
  workflowId: string,
): Promise<{ runId: string; request: GenerationRequest } | undefined> {
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  const response = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const started = response.history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  const [request] = decode(started?.input) as [GenerationRequest | undefined]; // the workflow's one argument
  return request === undefined ? undefined : { runId, request };
}
