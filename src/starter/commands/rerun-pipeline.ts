import type { PipelineHandle } from '../../client/pipeline-handle.ts';
import { rerunKey } from '../../client/starting/rerun.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { changePipeline } from '../request/apply-changes.ts';
import { checkPipeline } from '../request/check-request.ts';
import type { Session } from '../session.ts';

/**
 * Starts a pipeline of a new id with the old one's request and the changes, which takes over every step that is
 * unchanged and had completed.
 *
 * @throws UsageError, RequestRefused
 */
export async function rerunPipeline(
  { config, darkroom }: Session,
  workflowId: string,
  earlier: PipelineRequest,
  changes: readonly string[],
  id: string | undefined,
): Promise<PipelineHandle> {
  const request = { ...changePipeline(earlier, changes), reuse: workflowId };
  checkPipeline(request, config);
  return await darkroom.start(request, { key: id ?? rerunKey(workflowId) });
}
