import { given } from '../../api/json/given.ts';
import { layOver } from '../../policy/lay-over.ts';
import type { GenerationRequest } from '../generation.ts';
import type { PipelineRequest, PipelineStep } from '../pipeline.ts';
import { budgetsBelow } from '../purchases/payers.ts';
import { orderOf } from './pipeline-step.ts';

/**
 * What a generation is started with: it counts in the pipeline's budget, and in those above that one.
 *
 * @param run of the pipeline
 */
export function generationRequest(
  run: Parameters<typeof budgetsBelow>[0],
  pipeline: Pick<PipelineRequest, 'policy' | 'workspace' | 'tags' | 'budget' | 'budgetsAbove'>,
  step: Pick<PipelineStep, 'model' | 'templateId' | 'policy'>,
  input: Record<string, unknown>,
): GenerationRequest {
  const { policy: shared, workspace, tags } = pipeline;
  return {
    ...orderOf(step, input),
    ...given({ workspace, policy: layOver(shared, step.policy), tags }),
    ...budgetsBelow(run, pipeline),
  };
}
