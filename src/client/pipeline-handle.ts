import { approveUpdate, pipelineProgressQuery, rejectUpdate, resolveUpdate } from '../contract/messages.ts';
import type {
  Approval,
  PipelineProgress,
  PipelineResult,
  Rejection,
  Resolution,
} from '../contract/pipeline.ts';
import type { CallOptions } from './options.ts';
import { RunHandle } from './run-handle.ts';

/** A person's word on a step of a pipeline: one that waits for approval, or one that is held after a failure. */
export type PipelineDecision =
  | (Approval & { action: 'approve' })
  | (Rejection & { action: 'reject' })
  | Resolution;

/** A pipeline that was started or attached to; with `allowPartial` a result's status may be `PARTIAL` or `FAILED`. */
export class PipelineHandle<Types = unknown, AllowPartial extends boolean = boolean> extends RunHandle<
  PipelineResult<Types, AllowPartial>,
  PipelineProgress
> {
  override readonly kind = 'pipeline';

  override async currentProgress(options: CallOptions = {}): Promise<PipelineProgress> {
    return await this.askLatest(options, (latest) => latest.query(pipelineProgressQuery));
  }

  /**
   * Says what becomes of a step that waits for a person.
   *
   * @throws WorkflowUpdateFailedError when it does not wait for that, and as `currentProgress`
   */
  async decide(decision: PipelineDecision, options: CallOptions = {}): Promise<PipelineProgress> {
    return await this.askLatest(options, (latest) => {
      if (decision.action === 'approve') {
        const { action: _, ...approval } = decision;
        return latest.executeUpdate(approveUpdate, { args: [approval] });
      }
      if (decision.action === 'reject')
        return latest.executeUpdate(rejectUpdate, { args: [{ step: decision.step }] });
      return latest.executeUpdate(resolveUpdate, { args: [decision] });
    });
  }
}
