import { BatchHandle } from '../batch-handle.ts';
import { NotFollowableError } from '../failures/not-followable-error.ts';
import { call } from '../following/call.ts';
import { GenerationHandle } from '../generation-handle.ts';
import type { AnyHandle, HandleOf } from '../handle-of.ts';
import type { CallOptions } from '../options.ts';
import { PipelineHandle } from '../pipeline-handle.ts';
import { PlanningClient } from '../plan/planning-client.ts';
import { type ListFilter, listFiltered, type RunList } from './list.ts';
import { type RunSnapshot, snapshotOf } from './run-snapshot.ts';
import { summaryOf } from './run-summary.ts';

/** Finds runs, and tells how they stand. */
export abstract class AskingClient extends PlanningClient {
  /**
   * The latest run of a workflow id, running or closed. Who knows what it is of, says so: `attach<typeof film>(id)`.
   *
   * @throws WorkflowNotFoundError when there is none, NotFollowableError when it is none of ours
   */
  async attach<What = unknown>(workflowId: string, options: CallOptions = {}): Promise<HandleOf<What>> {
    const handle = await call(this.temporal, options, () => this.attached(workflowId));
    return handle as HandleOf<What>; // what the caller says
  }

  protected async attached(workflowId: string): Promise<AnyHandle> {
    const { runId, type, taskQueue } = await this.temporal.workflow.getHandle(workflowId).describe();
    const started = { runId, taskQueue, attached: true };
    if (type === 'generation') return new GenerationHandle(this.temporal, workflowId, started);
    if (type === 'pipeline') return new PipelineHandle(this.temporal, workflowId, started);
    if (type === 'batch') return new BatchHandle(this.temporal, workflowId, started);
    throw new NotFollowableError(workflowId, type);
  }

  /**
   * How a run stands, without waiting for it: what it was started with, its progress, its result or its failure.
   *
   * @throws as `attach`
   */
  async get(workflowId: string, options: CallOptions = {}): Promise<RunSnapshot> {
    return await call(this.temporal, options, () => this.#get(workflowId));
  }

  async #get(workflowId: string): Promise<RunSnapshot> {
    const handle = await this.attached(workflowId);
    const { status, startTime, closeTime, searchAttributes, ...run } = await this.temporal.workflow
      .getHandle(workflowId, handle.runId)
      .describe();
    const summary = summaryOf({
      ...run,
      status: status.name,
      startedAt: startTime,
      closedAt: closeTime ?? null,
      attributes: searchAttributes,
    });
    return await snapshotOf(this.temporal, handle, summary);
  }

  /** Generations, pipelines and batches of this client's task queue, a page at a time: open ones first, then by age. */
  async list(filter: ListFilter = {}, options: CallOptions = {}): Promise<RunList> {
    return await call(this.temporal, options, () => listFiltered(this.temporal, this.taskQueue, filter));
  }
}
