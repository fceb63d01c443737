import type { FailureDetails } from '../contract/generation.ts';
import { pipelineProgressQuery } from '../contract/messages.ts';
import type { PipelineProgress, PipelineResult } from '../contract/pipeline.ts';
import { PipelineFailedError } from './pipeline-failed-error.ts';
import { RunHandle } from './run-handle.ts';

/** A pipeline that was started or attached to. */
export class PipelineHandle extends RunHandle {
  readonly kind = 'pipeline';

  /**
   * Waits for the result; with `allowPartial` its status may be `PARTIAL` or `FAILED`.
   *
   * @throws PipelineFailedError
   */
  async result(): Promise<PipelineResult> {
    const outcome = await this.outcome();
    if (outcome.ok) return outcome.result as PipelineResult; // the workflow's own result type
    const { type, message, details } = outcome.failure;
    throw new PipelineFailedError(
      // The contract of `pipeline`: the result of PIPELINE_FAILED, the errors of INVALID_REQUEST.
      { type, message, details: details as PipelineResult | FailureDetails | null },
      this.workflowId,
    );
  }

  /** What each step is doing; needs a worker to answer. */
  async progress(): Promise<PipelineProgress> {
    return await this.latest.query(pipelineProgressQuery);
  }
}
