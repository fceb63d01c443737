import { randomBytes } from 'node:crypto';
import type { PipelineHandle } from '../../client/darkroom-client.ts';
import { MAX_KEY_BYTES } from '../../contract/limits.ts';
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
  return await darkroom.startPipeline(request, { key: id ?? rerunKey(workflowId) });
}

/** `pipeline/film-3` → `film-3.rerun-` and six random digits; a rerun's own rerun does not grow longer. */
function rerunKey(workflowId: string): string {
  const mark = `.rerun-${randomBytes(3).toString('hex')}`;
  const key = workflowId.replace(/^pipeline\//, '').replace(/\.rerun-[0-9a-f]{6}$/, '');
  const bytes = Buffer.from(key).subarray(0, MAX_KEY_BYTES - mark.length);
  // A letter that was cut in two is left out.
  return new TextDecoder().decode(bytes).replace(/\ufffd+$/, '') + mark;
}
