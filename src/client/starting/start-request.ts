import type { GenerationRequest } from '../../contract/generation.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';

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
