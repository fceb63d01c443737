import { type Client, WorkflowFailedError } from '@temporalio/client';
import type { GenerationRequest, GenerationResult } from '../../contract/generation.ts';
import type { PipelineRequest, StepFailure } from '../../contract/pipeline.ts';
import { leavesTask } from '../../contract/purchases/bought-nothing.ts';
import { stepFailure } from '../../contract/steps/step-failure.ts';
import { generationId } from '../../contract/steps/step-ids.ts';
import type { Reusable, StepToFind, StepToReuse } from '../../contract/steps/step-look.ts';
import { isNotFound } from '../grpc-status.ts';
import { type LatestRun, readLatestRun } from '../latest-run.ts';
import type { RunIds } from '../reset-run.ts';
import type { PipelineGenerations } from './pipeline-generations.ts';
import { likeness, originsOf, workspaceOf } from './same-step.ts';
import { stepKeys } from './step-key.ts';

const MAX_PIPELINES = 50;

/** Closed from outside: what it had bought goes on at the API, and only the same id takes that over. */
const ENDED_FROM_OUTSIDE: ReadonlySet<string> = new Set(['CANCELLED', 'TERMINATED', 'TIMED_OUT']);

/**
 * The completed generation of an equal step in an earlier pipeline, or in the one that that pipeline itself reused,
 * and so on; null where there is none. The step of the same name comes first, but any other one will do: a step
 * that was renamed, or an item that moved, is not bought again. Only of the same workspace. Where none has completed,
 * one that still runs, or else one that may have left a paid task behind it.
 */
export async function findReusable(
  {
    temporal: client,
    pipelines,
    deleted,
  }: {
    temporal: Client;
    pipelines: PipelineGenerations;
    /** What a pipeline's own histories tell of a generation that the server does not have. */
    deleted?: (pipeline: RunIds, step: StepToFind) => Promise<Reusable | null>;
  },
  { pipelineId, path, digest, ...step }: StepToReuse,
): Promise<Reusable | null> {
  const keys = new Set(stepKeys(step, step.origins));
  const looked = new Set<string>();
  let earlier: string | undefined = pipelineId;
  let other: Reusable | null = null;
  while (earlier !== undefined && !looked.has(earlier) && looked.size < MAX_PIPELINES) {
    looked.add(earlier);
    const namesakes = [generationId(earlier, path), generationId(earlier, path, digest)];
    const own: Awaited<ReturnType<typeof findEqual>>[] = [];
    for (const workflowId of namesakes) {
      const found = await findEqual(client, { ...step, workflowId });
      if (found?.kind === 'completed') return found;
      own.push(found);
    }
    const start: LatestRun<PipelineRequest> | undefined = await readLatestRun(client, earlier);
    const isOver = start === undefined || workspaceOf(start.request) !== workspaceOf(step);
    for (const [index, workflowId] of namesakes.entries()) {
      const isGone = own[index] === undefined && !isOver;
      const found = isGone
        ? await deleted?.({ workflowId: earlier, ...start }, { ...step, workflowId })
        : own[index];
      if (found?.kind === 'completed') return found;
      other = moreUseful(other, found ?? null);
    }
    if (isOver) return other;
    for (const generation of await pipelines.of({ workflowId: earlier, ...start })) {
      if (!generation.keys.some((key) => keys.has(key))) continue;
      const { workflowId } = generation;
      const equal = await findEqual(client, { ...step, workflowId });
      if (equal?.kind === 'completed') return equal;
      other = moreUseful(other, equal ?? null);
    }
    earlier = start.request?.reuse;
  }
  return other;
}

function moreUseful(one: Reusable | null, other: Reusable | null): Reusable | null {
  return one === null || (one.kind === 'ended' && other?.kind === 'running') ? other : one;
}

/** @returns undefined where there is none of that id; null where it is another one, or of no use */
async function findEqual(client: Client, step: StepToFind): Promise<Reusable | null | undefined> {
  const run = await readLatestRun<GenerationRequest>(client, step.workflowId);
  if (run === undefined) return undefined;
  if (run.type !== 'generation') return null;
  const { request, runId, status, isClosed } = run;
  const { workflowId } = step;
  if (likeness({ request, origins: originsOf(run.memo) }, step) !== 'same') return null;
  if (!isClosed) return { kind: 'running', workflowId };
  if (ENDED_FROM_OUTSIDE.has(status)) return { kind: 'ended', workflowId };
  try {
    const result = await client.workflow.getHandle(workflowId, runId, { followRuns: false }).result();
    return { kind: 'completed', workflowId, result: result as GenerationResult }; // its own result type
  } catch (error) {
    if (isNotFound(error)) return undefined; // deleted since
    if (!(error instanceof WorkflowFailedError)) throw error;
    return leftBy(workflowId, stepFailure(error.cause));
  }
}

/** What a failed generation may have left behind. */
export function leftBy(workflowId: string, failure: StepFailure): Reusable | null {
  return leavesTask(failure) ? { kind: 'ended', workflowId, type: failure.type } : null;
}
