import { randomBytes } from 'node:crypto';
import { MAX_KEY_BYTES } from '../../contract/limits.ts';
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

/** `pipeline/film-3` → `film-3.rerun-` and six random digits; a rerun's own rerun does not grow longer. */
export function rerunKey(workflowId: string): string {
  const mark = `.rerun-${randomBytes(3).toString('hex')}`;
  const key = workflowId.replace(/^pipeline\//, '').replace(/\.rerun-[0-9a-f]{6}$/, '');
  const bytes = Buffer.from(key).subarray(0, MAX_KEY_BYTES - mark.length);
  // A letter that was cut in two is left out.
  return new TextDecoder().decode(bytes).replace(/\ufffd+$/, '') + mark;
}
