import { createHash } from 'node:crypto';
import { canonicalJson } from '../../api/json/canonical-json.ts';
import type { BatchRow } from '../../contract/batch.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';

/** Characters of a digest in an id: 80 bits. */
const SHORT = 16;

/** What makes two rows the same purchase; budgets and policies may differ. */
export function rowDigest(
  { steps, params, workspace = DEFAULT_WORKSPACE }: PipelineRequest,
  values: BatchRow['values'],
): string {
  return digestOf([steps, params ?? {}, workspace, values]);
}

/** What makes two pipelines of a batch the same. */
export function pipelineDigest({ steps, params, workspace = DEFAULT_WORKSPACE }: PipelineRequest): string {
  return digestOf([steps, params ?? {}, workspace]);
}

/** Of any JSON: the order of fields does not count. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, SHORT);
}
