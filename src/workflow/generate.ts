import { proxyActivities } from '@temporalio/workflow';
import { given } from '../api/json/given.ts';
import type { InputFor, ModelId } from '../api/models/registry.ts';
import type { DarkroomActivities } from '../contract/activities.ts';
import type { GenerationRequest, GenerationResult } from '../contract/generation.ts';
import type { ModelResult } from '../contract/steps/model-result.ts';
import { orderOf } from '../contract/steps/pipeline-step.ts';
import { summarize } from '../contract/summary.ts';
import type { PolicySubset } from '../policy/policy-subset.ts';
import { LOOKS } from '../workflows/once.ts';
import { boughtOnce } from './bought-once.ts';
import { type ChildOptions, childId, taskQueueOf } from './child-ids.ts';

export interface GenerateOptions<TemplateId extends string | undefined = string | undefined>
  extends ChildOptions {
  /** A template of the API: it completes the input, which then may leave any field open. */
  templateId?: TemplateId;
  /** A workspace that Darkroom's worker is configured for; `default` when absent. */
  workspace?: string | undefined;
  /** What follows each failure, and how long what is waited for. */
  policy?: PolicySubset | undefined;
  /** Up to 8 short words of one's own: for lists and costs. */
  tags?: Record<string, string> | undefined;
}

/**
 * One generation, from workflow code: a child workflow, charged once for this workflow's id, also when this workflow is
 * Reset, retried or terminated and followed by another run.
 *
 * @throws ApplicationFailure whose `type` is the API's code or one of Darkroom's (`failureOf` reads it)
 */
export async function generate<Id extends ModelId, TemplateId extends string | undefined = undefined>(
  model: Id,
  input: InputFor<Id, TemplateId>,
  options: GenerateOptions<TemplateId> = {},
): Promise<ModelResult<Id>> {
  const { templateId, workspace, policy, tags } = options;
  const more = given({ templateId, workspace, policy, tags });
  const request: GenerationRequest = { model, input: { ...input }, ...more };
  const workflowId = await childId('generation', model, options);
  const taskQueue = taskQueueOf(options);
  const { lookAtGeneration } = proxyActivities<Pick<DarkroomActivities, 'lookAtGeneration'>>({
    ...LOOKS,
    taskQueue,
  });
  const result = await boughtOnce<GenerationResult>({
    type: 'generation',
    workflowId,
    taskQueue,
    request: (earlierRun) => (earlierRun === undefined ? request : { ...request, earlierRun }),
    summary: summarize(request),
    look: (wait) => lookAtGeneration({ ...orderOf(request, request.input), workflowId, workspace, wait }),
  });
  return result as ModelResult<Id>; // the same, as that model makes it
}
