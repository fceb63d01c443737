import { isDeepStrictEqual } from 'node:util';
import { Context } from '@temporalio/activity';
import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import type { GenerationRequest, GenerationResult, PipelineRequest } from '../workflows/contract.ts';
import type { ActivityDeps } from './deps.ts';
import { readRequest } from './run-history.ts';

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
 * takes, heartbeating. One that is Reset meanwhile goes on in another run, and is followed there.
 */
export async function awaitGeneration(client: Client, step: StepToFind): Promise<FoundGeneration> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), 5_000);
  try {
    let ended: string | undefined;
    for (;;) {
      const started = await startOfLatest<GenerationRequest>(client, step.workflowId);
      if (started === undefined || !isSame(started.request, step)) return { kind: 'different' };
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

/** A step as an earlier pipeline may have bought it. */
export interface StepToReuse {
  pipelineId: string;
  /** Below the pipeline's id: `<step>` or `<step>/<index>`. */
  path: string;
  model: string;
  input: Record<string, unknown>;
}

const MAX_PIPELINES = 50;

/**
 * The completed generation of an equal step in an earlier pipeline, or in the one that that pipeline itself reused,
 * and so on; null where there is none. The step of the same name comes first, but any other one will do: a step
 * that was renamed, or an item that moved, is not bought again.
 */
export async function findReusable(
  { temporal: client, pipelines }: Pick<ActivityDeps, 'temporal' | 'pipelines'>,
  { pipelineId, path, model, input }: StepToReuse,
): Promise<{ workflowId: string; result: GenerationResult } | null> {
  let earlier: string | undefined = pipelineId;
  for (let looked = 0; earlier !== undefined && looked < MAX_PIPELINES; looked += 1) {
    const namesake = `${earlier}/${path}`;
    const result = await findCompleted(client, { workflowId: namesake, model, input });
    if (result !== null) return { workflowId: namesake, result };
    const start: Start<PipelineRequest> | undefined = await startOfLatest(client, earlier);
    if (start === undefined) return null;
    for (const { workflowId, request } of await pipelines.of({ workflowId: earlier, ...start })) {
      if (!isSame(request, { model, input })) continue;
      const equal = await findCompleted(client, { workflowId, model, input });
      if (equal !== null) return { workflowId, result: equal };
    }
    earlier = start.request.reuse;
  }
  return null;
}

async function findCompleted(client: Client, step: StepToFind): Promise<GenerationResult | null> {
  const started = await startOfLatest<GenerationRequest>(client, step.workflowId);
  if (started === undefined || started.status !== 'COMPLETED' || !isSame(started.request, step)) return null;
  const handle = client.workflow.getHandle(step.workflowId, started.runId);
  return (await handle.result()) as GenerationResult; // the workflow's own result type
}

function isSame(request: GenerationRequest, step: Pick<StepToFind, 'model' | 'input'>): boolean {
  return request.model === step.model && isDeepStrictEqual(request.input, step.input);
}

interface Start<Request> {
  runId: string;
  status: string;
  isClosed: boolean;
  request: Request;
}

/** The status of the latest run of a workflow id, and the argument it was started with; undefined: no such id. */
async function startOfLatest<Request>(
  client: Client,
  workflowId: string,
): Promise<Start<Request> | undefined> {
  try {
    const { runId, status, closeTime } = await client.workflow.getHandle(workflowId).describe();
    const request = await readRequest<Request>(client, workflowId, runId);
    if (request === undefined) return undefined;
    return { runId, status: status.name, isClosed: closeTime !== undefined, request };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
