import type { GenerationRequest } from '../../contract/generation.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import type { PipelineRequest, PipelineStep } from '../../contract/pipeline.ts';
import { orderOf } from '../../contract/steps/pipeline-step.ts';
import { layOver } from '../../policy/lay-over.ts';
import type { Job } from './job.ts';

/** A memo lies with every list of workflows: beyond this the URLs alone tell what an input is made of (bytes). */
const MOST_ORIGINS = 4_000;

/**
 * What is noted of a generation: what the URLs in its input are, so that a later run can tell, and its place below the
 * pipeline's id: it tells the pipeline by it when it needs a look.
 */
export function memoOf(pipelineId: string, { workflowId, origins }: Job): Record<string, unknown> {
  const isWorthNoting = Object.keys(origins).length > 0 && jsonBytes(origins) <= MOST_ORIGINS;
  return { step: workflowId.slice(pipelineId.length + 1), ...(isWorthNoting ? { origins } : {}) };
}

/** @param credits what the generation may cost at most, its retries included; no limit when undefined */
export function generationRequest(
  { policy: shared, workspace, tags }: Pick<PipelineRequest, 'policy' | 'workspace' | 'tags'>,
  step: Pick<PipelineStep, 'model' | 'templateId' | 'policy'>,
  input: Record<string, unknown>,
  credits: number | undefined,
): GenerationRequest {
  const policy = layOver(shared, step.policy);
  const own = ownBudget(policy);
  const least = Math.min(own ?? Infinity, credits ?? Infinity);
  const whole = Number.isFinite(least) ? layOver(policy ?? {}, { budget: { credits: least } }) : policy;
  return {
    ...orderOf(step, input),
    ...(workspace === undefined ? {} : { workspace }),
    ...(whole === undefined ? {} : { policy: whole }),
    ...(tags === undefined ? {} : { tags }),
  };
}

/** The budget that a policy has for each generation by itself. */
function ownBudget(policy: unknown): number | undefined {
  return (policy as { budget?: { credits?: number } } | undefined)?.budget?.credits; // checked by checkPipeline
}
