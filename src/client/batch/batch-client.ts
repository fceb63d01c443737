import type { BatchProgress, BatchResult } from '../../contract/batch.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { BatchHandle } from '../batch-handle.ts';
import { call } from '../following/call.ts';
import { endsOf } from '../following/ends-of.ts';
import type { BatchOptions, CallOptions, WatchOptions } from '../options.ts';
import { startAndWait } from '../starting/start-and-wait.ts';
import { StartingClient } from '../starting/starting-client.ts';
import { workflowIdOf } from '../workflow-id.ts';
import { checkedRows } from './checked-rows.ts';
import type { PreparedRows } from './prepare-rows.ts';
import { startBatch } from './start-batch.ts';

/** Starts batches. */
export abstract class BatchClient extends StartingClient {
  /**
   * A pipeline for each of many rows, from the request to the counts: `startBatch`, then `result`. `rows()` of the handle
   * tells what has become of each.
   *
   * @throws InvalidRequestError for what the rows make, KeyInUseError where the key runs with other rows, and as `generate`
   */
  async runBatch(
    pipeline: PipelineRequest,
    rows: readonly Record<string, unknown>[],
    options: BatchOptions & WatchOptions<BatchProgress> = {},
  ): Promise<BatchResult> {
    return await startAndWait('batch', options, (mine) => this.startBatch(pipeline, rows, mine));
  }

  /**
   * Starts a batch, or attaches to the one that has the key: the same rows are the same purchases. A row's values stand for
   * the pipeline's `{ $param: 'city' }` and `{{city}}`.
   *
   * @throws as `runBatch`
   */
  async startBatch(
    pipeline: PipelineRequest,
    rows: readonly Record<string, unknown>[],
    options: BatchOptions & CallOptions = {},
  ): Promise<BatchHandle> {
    const { temporal, taskQueue } = this;
    const { concurrency, budget, callback, retryFailed } = options;
    const ready = await this.preparedRows(pipeline, rows, options);
    const { workflowId } = ready;
    return await call(temporal, options, async () => {
      const { kind, ...started } = await startBatch(temporal, {
        ...ready,
        taskQueue,
        concurrency,
        budget: budget?.credits,
        callback,
        retryFailed,
      });
      const { runId } = await temporal.workflow.getHandle(workflowId).describe();
      const attached = kind === 'ended' || ('attached' in started && started.attached);
      return new BatchHandle(temporal, workflowId, { runId, taskQueue, attached });
    });
  }

  protected async preparedRows(
    pipeline: PipelineRequest,
    rows: readonly Record<string, unknown>[],
    { key, rowKey, ...options }: BatchOptions & CallOptions,
  ): Promise<PreparedRows & { workflowId: string }> {
    const workflowId = workflowIdOf('batch', key);
    const sent = await this.files.sent({ pipeline, rows }, endsOf(options));
    const ready = checkedRows(workflowId, sent.pipeline, sent.rows, { rowKey, models: this.overrides });
    return { ...ready, workflowId };
  }
}
