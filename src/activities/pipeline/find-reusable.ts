import type { Client } from '@temporalio/client';
import type { StepToFind, StepToReuse } from '../../contract/activities.ts';
import type { GenerationRequest, GenerationResult } from '../../contract/generation.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { type LatestRun, readLatestRun } from '../../temporal/latest-run.ts';
import type { ActivityDeps } from '../deps.ts';
import { isSameStep } from './step-to-find.ts';

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
    const start: LatestRun<PipelineRequest> | undefined = await readLatestRun(client, earlier);
    if (start === undefined) return null;
    for (const { workflowId, request } of await pipelines.of({ workflowId: earlier, ...start })) {
      if (!isSameStep(request, { model, input })) continue;
      const equal = await findCompleted(client, { workflowId, model, input });
      if (equal !== null) return { workflowId, result: equal };
    }
    earlier = start.request?.reuse;
  }
  return null;
}

async function findCompleted(client: Client, step: StepToFind): Promise<GenerationResult | null> {
  const started = await readLatestRun<GenerationRequest>(client, step.workflowId);
  if (started === undefined || started.status !== 'COMPLETED' || !isSameStep(started.request, step))
    return null;
  const handle = client.workflow.getHandle(step.workflowId, started.runId);
  return (await handle.result()) as GenerationResult; // the workflow's own result type
}
