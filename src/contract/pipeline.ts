import type { Usage } from '../api/usage.ts';
import type { GenerationResult } from './generation.ts';

export interface PipelineStep {
  model: string;
  /** Values may be `{ "$from": step, "output": i }` or `{ "$each": step }` wherever a URL may stand. */
  input: Record<string, unknown>;
  /** Laid over the pipeline's policy. */
  policy?: unknown;
}

/** The one argument of the workflow `pipeline`. */
export interface PipelineRequest {
  steps: Record<string, PipelineStep>;
  workspace?: string;
  policy?: unknown;
  budget?: { credits: number };
  /** Workflow id of an earlier pipeline: a step equal to a completed one there, of any name, is not bought again. */
  reuse?: string;
  /** End as completed with status `PARTIAL` or `FAILED` instead of failing the workflow. */
  allowPartial?: boolean;
}

export interface StepFailure {
  type: string;
  message: string;
  details: unknown;
}

/** One generation of a step: the step itself, or one item of a fan-out. */
export type StepItem =
  /** `reused`: taken from the pipeline that `reuse` names, so it cost nothing again. */
  | { status: 'COMPLETED'; workflowId: string; result: GenerationResult; reused?: true }
  | { status: 'FAILED'; workflowId: string; failure: StepFailure }
  | { status: 'SKIPPED'; workflowId: null; failure: StepFailure };

export type StepResult =
  | StepItem
  | { status: 'COMPLETED' | 'PARTIAL' | 'FAILED'; workflowId: null; items: StepItem[] };

export interface PipelineResult {
  status: 'COMPLETED' | 'PARTIAL' | 'FAILED';
  steps: Record<string, StepResult>;
  usage: Usage;
}

/** One step in the pipeline's query `progress`. */
export interface StepProgress {
  status: 'pending' | 'running' | 'done';
  model: string;
  workflowIds: string[];
  outcome?: StepResult['status'];
}

/** Answer of the pipeline's query `progress`. */
export interface PipelineProgress {
  steps: Record<string, StepProgress>;
  usage: Usage;
}
