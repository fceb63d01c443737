import type { StepEnd } from './carried-pipeline.ts';
import { generationId } from './step-ids.ts';

/** An end as it is handed on: the id of a generation of the pipeline itself follows from its path. */
export function carriedEnd(pipelineId: string, path: string, end: StepEnd): StepEnd {
  const { next: _, sizes: __, ...others } = end; // what is large, or worked out anew
  const { item } = others;
  const isOwn = item.status !== 'SKIPPED' && item.workflowId === generationId(pipelineId, path);
  return isOwn ? { ...others, item: { ...item, workflowId: '' } } : others;
}

/** An end that was handed on. */
export function ownEnd(pipelineId: string, path: string, end: StepEnd): StepEnd {
  const { item } = end;
  const isOwn = item.status !== 'SKIPPED' && item.workflowId === '';
  return isOwn ? { ...end, item: { ...item, workflowId: generationId(pipelineId, path) } } : end;
}
