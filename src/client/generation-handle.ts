import type { ModelId } from '../api/models/registry.ts';
import type { Decision, DecisionAnswer, Progress } from '../contract/generation.ts';
import { checkNowUpdate, decideUpdate, progressQuery } from '../contract/messages.ts';
import type { ModelResult } from '../contract/model-result.ts';
import { RunHandle } from './run-handle.ts';

/** A generation that was started or attached to. */
export class GenerationHandle<Id extends ModelId = ModelId> extends RunHandle<ModelResult<Id>, Progress> {
  override readonly kind = 'generation';

  override async currentProgress(): Promise<Progress> {
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
  async decide(decision: Decision): Promise<DecisionAnswer> {
    return await this.latest.executeUpdate(decideUpdate, { args: [decision] });
  }
}
