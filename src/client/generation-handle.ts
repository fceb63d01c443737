import type { ModelId } from '../api/models/registry.ts';
import type { Decision, DecisionAnswer, Progress } from '../contract/generation.ts';
import { checkNowUpdate, decideUpdate, progressQuery } from '../contract/messages.ts';
import type { ModelResult } from '../contract/steps/model-result.ts';
import type { CallOptions } from './options.ts';
import { RunHandle } from './run-handle.ts';

/** A generation that was started or attached to. */
export class GenerationHandle<Id extends ModelId = ModelId> extends RunHandle<ModelResult<Id>, Progress> {
  override readonly kind = 'generation';

  override async currentProgress(options: CallOptions = {}): Promise<Progress> {
    return await this.askLatest(options, (latest) => latest.query(progressQuery));
  }

  /**
   * Polls the task at once, or wakes a run that waits for credits.
   *
   * @throws as `currentProgress`
   */
  async checkNow(options: CallOptions = {}): Promise<Progress> {
    return await this.askLatest(options, (latest) => latest.executeUpdate(checkNowUpdate));
  }

  /**
   * Says what to do with a run that needs a decision.
   *
   * @throws WorkflowUpdateFailedError when the run does not wait for one, and as `currentProgress`
   */
  async decide(decision: Decision, options: CallOptions = {}): Promise<DecisionAnswer> {
    return await this.askLatest(options, (latest) =>
      latest.executeUpdate(decideUpdate, { args: [decision] }),
    );
  }
}
