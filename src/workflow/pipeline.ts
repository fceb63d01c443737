import { proxyActivities } from '@temporalio/workflow';
import type { DarkroomActivities } from '../contract/activities.ts';
import type { PipelineRequest, PipelineResult } from '../contract/pipeline.ts';
import { summarize } from '../contract/summary.ts';
import { LOOKS } from '../workflows/once.ts';
import { boughtOnce } from './bought-once.ts';
import { type ChildOptions, childId, taskQueueOf } from './child-ids.ts';

export interface PipelineOptions extends ChildOptions {}

/**
 * One pipeline, from workflow code: a child workflow whose every step is charged once for this workflow's id, as with
 * `generate`.
 *
 * @throws ApplicationFailure PIPELINE_FAILED with the results that there are as its detail, or INVALID_REQUEST
 */
export async function pipeline<Types, AllowPartial extends boolean = false>(
  request: PipelineRequest<Types, AllowPartial>,
  options: PipelineOptions = {},
): Promise<PipelineResult<Types, AllowPartial>> {
  const workflowId = await childId('pipeline', 'pipeline', options);
  const taskQueue = taskQueueOf(options);
  const { lookAtPipeline } = proxyActivities<Pick<DarkroomActivities, 'lookAtPipeline'>>({
    ...LOOKS,
    taskQueue,
  });
  const models = Object.values(request.steps).map(({ model }) => model);
  const result = await boughtOnce<PipelineResult>({
    type: 'pipeline',
    workflowId,
    taskQueue,
    request: () => request,
    summary: summarize({ model: models.join(' → '), input: {} }),
    look: (wait) => lookAtPipeline({ workflowId, request, wait }),
  });
  return result as PipelineResult<Types, AllowPartial>; // what this very request makes
}
