import type { PipelineRequest } from '../../contract/pipeline.ts';
import { changePipeline } from '../request/apply-changes.ts';

/**
 * The old pipeline's request with the changes: every step that is unchanged and had completed is taken over.
 *
 * @throws UsageError
 */
export function repeated(
  workflowId: string,
  earlier: PipelineRequest,
  changes: readonly string[],
): PipelineRequest {
  return { ...changePipeline(earlier, changes), reuse: workflowId };
}
