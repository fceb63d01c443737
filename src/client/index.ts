/** `temporal-darkroom`: the client for backend services. It loads neither the worker nor its native part, nor the receiver. */
export { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
export type { FieldError } from '../api/input/field-error.ts';
export type { FieldDescription, ModelDescription } from '../api/models/describe.ts';
export type { InputFor, ModelId, ModelInput } from '../api/models/registry.ts';
export type { AudioData, ImageAsset, ImageData, VideoAsset, VideoData } from '../api/records/output-data.ts';
export type { Usage } from '../api/records/usage.ts';
export { ConfigError } from '../config/config-error.ts';
export type { BatchProgress, BatchResult } from '../contract/batch.ts';
export type { FileInput } from '../contract/file-input.ts';
export type {
  Attempt,
  AttemptOutcome,
  Decision,
  DecisionAnswer,
  FailureDetails,
  GenerationOutput,
  GenerationRequest,
  GenerationResult,
  Progress,
  StoredFile,
} from '../contract/generation.ts';
export type * from '../contract/pipeline.ts';
export type { ModelResult, StepModelResult } from '../contract/steps/model-result.ts';
export type { PolicySubset } from '../policy/policy-subset.ts';
export { TemporalUnreachable } from '../temporal/temporal-unreachable.ts';
export type { ListFilter, RunList } from './asking/list.ts';
export type { Credits } from './asking/read-credits.ts';
export type { RunSnapshot } from './asking/run-snapshot.ts';
export type { RunSummary } from './asking/run-summary.ts';
export type { RowResult } from './batch/row-result.ts';
export type { BatchHandle } from './batch-handle.ts';
export { DarkroomClient } from './darkroom-client.ts';
export { ApiUnavailable } from './failures/api-unavailable.ts';
export * from './failures/failure-classes.ts';
export { KeyInUseError } from './failures/key-in-use-error.ts';
export { NotFollowableError } from './failures/not-followable-error.ts';
export { RerunRefusedError } from './failures/rerun-refused-error.ts';
export { RunFailedError } from './failures/run-failed-error.ts';
export { NoWorkerError, StillRunningError } from './failures/still-running-error.ts';
export { FileDamaged, type Stored } from './files/client-files.ts';
export { file } from './files/file.ts';
export type { ClientInput } from './files/input-types.ts';
export type { ProgressOptions } from './following/follow-progress.ts';
export type { GenerationHandle } from './generation-handle.ts';
export type {
  BatchOptions,
  Duration,
  GenerationOptions,
  StartOptions,
  WaitOptions,
  WatchOptions,
} from './options.ts';
export type { PipelineDecision, PipelineHandle } from './pipeline-handle.ts';
export type { BatchPlan } from './plan/plan-batch.ts';
export type { PipelinePlan, PlannedGeneration } from './plan/plan-pipeline.ts';
export type { RerunChanges } from './starting/rerun.ts';
export { type Callback, CallbackUnverified, verifyCallback } from './verify-callback.ts';
