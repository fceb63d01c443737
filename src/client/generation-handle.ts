import type { Decision, FailureDetails, GenerationResult, Progress } from '../contract/generation.ts';
import { checkNowUpdate, decideUpdate, progressQuery } from '../contract/messages.ts';
import { GenerationFailedError } from './generation-failed-error.ts';
import { RunHandle } from './run-handle.ts';

/** A generation that was started or attached to. */
export class GenerationHandle extends RunHandle {
  readonly kind = 'generation';

  /**
   * Waits for the result.
   *
   * @throws GenerationFailedError
   */
  async result(): Promise<GenerationResult> {
    const outcome = await this.outcome();
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
    return await this.latest.query(progressQuery);
  }

  /** Polls the task at once, or wakes a run that waits for credits. */
  async checkNow(): Promise<Progress> {
    return await this.latest.executeUpdate(checkNowUpdate);
  }

  /**
   * Says what to do with a run that needs a decision.
   *
   * @throws WorkflowUpdateFailedError when the run does not wait for one
   */
  async decide(decision: Decision): Promise<Progress> {
    return await this.latest.executeUpdate(decideUpdate, { args: [decision] });
  }
}
