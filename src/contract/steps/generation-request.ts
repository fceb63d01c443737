import { layOver } from '../../policy/lay-over.ts';
import type { GenerationRequest } from '../generation.ts';
import type { PipelineRequest, PipelineStep } from '../pipeline.ts';
import { orderOf } from './pipeline-step.ts';

/**
 * What a step's generation is started with.
 *
 * @param credits what it may cost at most, its retries included; no limit when undefined
 */
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
