import type { Client, WorkflowHandle } from '@temporalio/client';
import type { FailureDetails } from '../contract/generation.ts';
import { pipelineProgressQuery } from '../contract/messages.ts';
import type { PipelineProgress, PipelineResult } from '../contract/pipeline.ts';
import { followResult } from './follow-result.ts';
import { PipelineFailedError } from './pipeline-failed-error.ts';
import type { StartedRun } from './start-or-attach.ts';

/** A pipeline that was started or attached to. It goes on whether anybody holds this or not. */
export class PipelineHandle {
  readonly kind = 'pipeline';
  readonly workflowId: string;
  readonly runId: string;
  /** Whether the run had been started before. */
  readonly attached: boolean;
  readonly #client: Client;

  constructor(client: Client, workflowId: string, { runId, attached }: StartedRun) {
    this.#client = client;
    this.workflowId = workflowId;
    this.runId = runId;
    this.attached = attached;
  }

  /**
   * Waits for the result; with `allowPartial` its status may be `PARTIAL` or `FAILED`.
   *
   * @throws PipelineFailedError
   */
  async result(): Promise<PipelineResult> {
    const outcome = await followResult(this.#client, this.workflowId, this.runId);
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
    return await this.#latest().query(pipelineProgressQuery);
  }

  /** Stops waiting, steps included. The API has no cancel call: tasks go on there. */
  async cancel(): Promise<void> {
    await this.#latest().cancel();
  }

  #latest(): WorkflowHandle {
    return this.#client.workflow.getHandle(this.workflowId);
  }
}
