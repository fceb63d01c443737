import type { Ordered } from '../generation.ts';
import type { PipelineStep } from '../pipeline.ts';

/**
 * What a step buys once its references are resolved.
 *
 * @param input with every reference as what it stands for
 */
export function orderOf(
  { model, templateId }: Pick<PipelineStep, 'model' | 'templateId'>,
  input: Record<string, unknown>,
): Ordered {
  return { model, input, ...(templateId === undefined ? {} : { templateId }) };
}
