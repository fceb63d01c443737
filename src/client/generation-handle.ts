import type { Client, WorkflowHandle } from '@temporalio/client';
import type { Decision, FailureDetails, GenerationResult, Progress } from '../contract/generation.ts';
import { checkNowUpdate, decideUpdate, progressQuery } from '../contract/messages.ts';
import { followResult } from './follow-result.ts';
import { GenerationFailedError } from './generation-failed-error.ts';
import type { StartedRun } from './start-or-attach.ts';

/** A generation that was started or attached to. It goes on whether anybody holds this or not. */
export class GenerationHandle {
  readonly kind = 'generation';
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
   * Waits for the result.
   *
   * @throws GenerationFailedError
   */
  async result(): Promise<GenerationResult> {
    const outcome = await followResult(this.#client, this.workflowId, this.runId);
    if (outcome.ok) return outcome.result as GenerationResult; // the workflow's own result type
    const { type, message, details } = outcome.failure;
    // The contract of `generation`: its first detail, and its memo when it is cancelled.
    throw new GenerationFailedError(
      { type, message, details: details as FailureDetails | null },
      this.workflowId,
    );
  }

  /** What the run is doing; needs a worker to answer. */
  async progress(): Promise<Progress> {
    return await this.#latest().query(progressQuery);
  }

  /** Polls the task at once, or wakes a run that waits for credits. */
  async checkNow(): Promise<Progress> {
    return await this.#latest().executeUpdate(checkNowUpdate);
  }

  /**
   * Says what to do with a run that needs a decision.
   *
   * @throws WorkflowUpdateFailedError when the run does not wait for one
   */
  async decide(decision: Decision): Promise<Progress> {
    return await this.#latest().executeUpdate(decideUpdate, { args: [decision] });
  }

  /** Stops waiting. The API has no cancel call: the task goes on there and costs what it costs. */
  async cancel(): Promise<void> {
    await this.#latest().cancel();
  }

  /** The id's latest run: after a Reset not the one that was started. */
  #latest(): WorkflowHandle {
    return this.#client.workflow.getHandle(this.workflowId);
  }
}
