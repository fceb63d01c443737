import type { ModelId } from '../api/models/registry.ts';
import type { PipelineRequest } from '../contract/pipeline.ts';
import type { BatchHandle } from './batch-handle.ts';
import type { GenerationHandle } from './generation-handle.ts';
import type { PipelineHandle } from './pipeline-handle.ts';

export type AnyHandle = GenerationHandle | PipelineHandle | BatchHandle;

/** The run of what the caller knows it to be of: `typeof film`, a pipeline, or a model's id. */
export type HandleOf<What> = unknown extends What
  ? AnyHandle
  : What extends ModelId
    ? GenerationHandle<What>
    : What extends PipelineRequest<infer Types, infer AllowPartial>
      ? PipelineHandle<Types, AllowPartial>
      : AnyHandle;
