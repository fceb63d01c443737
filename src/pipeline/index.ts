/** `temporal-darkroom/pipeline`: pipelines as typed code, for the same JSON document. */
export type { PipelineRequest, PipelineStep } from '../contract/pipeline.ts';
export {
  definePipeline,
  type PipelineOptions,
  type PipelineParts,
  type ReturnedSteps,
  type Step,
  type StepOptions,
} from './define-pipeline.ts';
export type { EachOutput, EachValue, OutputUrl, OutputUrls, ParamValue } from './reference.ts';
export type { StepInput } from './step-input.ts';
