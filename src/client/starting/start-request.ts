import { given } from '../../api/json/given.ts';
import type { ModelId } from '../../api/models/registry.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import type { GenerationOptions, StartOptions } from '../options.ts';
import { workflowIdOf } from '../workflow-id.ts';

/** What a workflow of ours is started with: its type and its one argument. */
export type Started =
  | { kind: 'generation'; request: GenerationRequest }
  | { kind: 'pipeline'; request: PipelineRequest };

/** A workflow to start. */
export type StartRequest = Started & {
  workflowId: string;
  taskQueue: string;
  /** 1 (first) to 5; Temporal's default is 3. */
  priority?: number | undefined;
};

/** What a generation is started with. */
export function generationStart(
  model: ModelId,
  input: Record<string, unknown>,
  { key, priority, templateId, workspace, policy, tags, callback }: GenerationOptions,
  taskQueue: string,
): StartRequest {
  const more = given({ templateId, workspace, policy, tags, callback });
  const request: GenerationRequest = { model, input, ...more };
  return { kind: 'generation', workflowId: workflowIdOf('generation', key), request, taskQueue, priority };
}

/** What a pipeline is started with. */
export function pipelineStart(
  pipeline: PipelineRequest,
  { key, priority, callback }: StartOptions,
  taskQueue: string,
): StartRequest {
  const request = { ...pipeline, ...given({ callback }) };
  return { kind: 'pipeline', workflowId: workflowIdOf('pipeline', key), request, taskQueue, priority };
}
