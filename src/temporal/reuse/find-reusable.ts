import type { Client } from '@temporalio/client';
import type { GenerationRequest, GenerationResult } from '../../contract/generation.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import type { StepToFind, StepToReuse } from '../../contract/step-look.ts';
import { type LatestRun, readLatestRun } from '../latest-run.ts';
import type { PipelineGenerations } from './pipeline-generations.ts';
import { likeness, originsOf, workspaceOf } from './same-step.ts';
import { stepKeys } from './step-key.ts';

const MAX_PIPELINES = 50;

/**
 * The completed generation of an equal step in an earlier pipeline, or in the one that that pipeline itself reused,
 * and so on; null where there is none. The step of the same name comes first, but any other one will do: a step
 * that was renamed, or an item that moved, is not bought again. Only of the same workspace.
 */
export async function findReusable(
  { temporal: client, pipelines }: { temporal: Client; pipelines: PipelineGenerations },
  { pipelineId, path, ...step }: StepToReuse,
): Promise<{ workflowId: string; result: GenerationResult } | null> {
  const keys = new Set(stepKeys(step, step.origins));
  const looked = new Set<string>();
  let earlier: string | undefined = pipelineId;
  while (earlier !== undefined && !looked.has(earlier) && looked.size < MAX_PIPELINES) {
    looked.add(earlier);
    const namesake = `${earlier}/${path}`;
    const result = await findCompleted(client, { ...step, workflowId: namesake });
    if (result !== null) return { workflowId: namesake, result };
    const start: LatestRun<PipelineRequest> | undefined = await readLatestRun(client, earlier);
    if (start === undefined || workspaceOf(start.request) !== workspaceOf(step)) return null;
    for (const generation of await pipelines.of({ workflowId: earlier, ...start })) {
      if (!generation.keys.some((key) => keys.has(key))) continue;
      const { workflowId } = generation;
      const equal = await findCompleted(client, { ...step, workflowId });
      if (equal !== null) return { workflowId, result: equal };
    }
    earlier = start.request?.reuse;
  }
  return null;
}

async function findCompleted(client: Client, step: StepToFind): Promise<GenerationResult | null> {
  const run = await readLatestRun<GenerationRequest>(client, step.workflowId);
  if (run === undefined || run.status !== 'COMPLETED' || run.type !== 'generation') return null;
  const { request, runId } = run;
  if (likeness({ request, origins: originsOf(run.memo) }, step) !== 'same') return null;
  return (await client.workflow.getHandle(step.workflowId, runId).result()) as GenerationResult; // its own result type
}
