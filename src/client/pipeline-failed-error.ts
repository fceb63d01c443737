import type { FailureDetails } from '../contract/generation.ts';
import type { PipelineResult } from '../contract/pipeline.ts';

/**
 * A pipeline ended with a step that did not complete (`PIPELINE_FAILED`, with the whole result as `details`),
 * was refused (`INVALID_REQUEST`, with `details.errors`), or was ended from outside (`CANCELLED`, `TERMINATED`,
 * `TIMED_OUT`).
 */
export class PipelineFailedError extends Error {
  override readonly name = 'PipelineFailedError';
  readonly type: string;
  readonly details: PipelineResult | FailureDetails | null;
  readonly workflowId: string;

  constructor(
    failure: { type: string; message: string; details: PipelineResult | FailureDetails | null },
    workflowId: string,
  ) {
    super(failure.message);
    this.type = failure.type;
    this.details = failure.details;
    this.workflowId = workflowId;
  }

  /** The steps' results; undefined where the pipeline ended before it had any. */
  get result(): PipelineResult | undefined {
    return this.details !== null && 'steps' in this.details ? this.details : undefined;
  }
}
