/**
 * `temporal-darkroom/workflow`: generations and pipelines for workflow code of one's own. Children with all guarantees: each is
 * charged once, whatever happens to its parent, a Reset included.
 */
export type { ModelId, ModelInput } from '../api/models/registry.ts';
export type {
  CompletedItem,
  FannedOutStep,
  IncompleteItem,
  PipelineRequest,
  PipelineResult,
} from '../contract/pipeline.ts';
export type { ModelResult, StepModelResult } from '../contract/steps/model-result.ts';
export { type DarkroomFailure, failureOf } from './failure-of.ts';
export { type GenerateOptions, generate } from './generate.ts';
export { type PipelineOptions, pipeline } from './pipeline.ts';
