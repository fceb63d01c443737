import type { FailureDetails } from '../contract/generation.ts';

/**
 * A generation ended without a result. `type` is the API's own code (`IMAGE_GENERATION_CONTENT_REJECTED`, …), one
 * of Darkroom's (`TASK_OVERDUE`, `INVALID_REQUEST`, …), or `CANCELLED`, `TERMINATED` or `TIMED_OUT` where the
 * workflow itself was ended from outside.
 */
export class GenerationFailedError extends Error {
  override readonly name = 'GenerationFailedError';
  readonly type: string;
  /** What was tried and what it cost; null where the workflow could leave nothing behind. */
  readonly details: FailureDetails | null;
  readonly workflowId: string;

  constructor(
    failure: { type: string; message: string; details: FailureDetails | null },
    workflowId: string,
  ) {
    super(failure.message);
    this.type = failure.type;
    this.details = failure.details;
    this.workflowId = workflowId;
  }
}
