import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { BatchPage, BatchProgress, BatchRequest, BatchResult } from '../contract/batch.ts';
import { batchProgressQuery } from '../contract/messages.ts';
import { readLatestRun } from '../temporal/latest-run.ts';
import { type RowResult, rowResults } from './batch/row-result.ts';
import type { CallOptions } from './options.ts';
import { RunHandle, type StartedRun } from './run-handle.ts';

/** A batch that was started or attached to. A row's pipeline is `<workflowId>/<row id>`: `attach` follows one. */
export class BatchHandle extends RunHandle<BatchResult, BatchProgress> {
  override readonly kind = 'batch';
  readonly #client: Client;

  constructor(client: Client, workflowId: string, started: StartedRun) {
    super(client, workflowId, started);
    this.#client = client;
  }

  override async currentProgress(options: CallOptions = {}): Promise<BatchProgress> {
    return await this.askLatest(options, (latest) => latest.query(batchProgressQuery));
  }

  /**
   * What has become of each row, in their order: of one that runs once it has ended, of one not started yet that.
   *
   * @throws WorkflowNotFoundError where the server has deleted the batch; after the others, where what names some of the rows
   */
  async *rows({ signal }: Pick<CallOptions, 'signal'> = {}): AsyncGenerator<RowResult, void, undefined> {
    const batch = await readLatestRun<BatchRequest>(this.#client, this.workflowId);
    if (batch === undefined)
      throw new WorkflowNotFoundError('the server has deleted the batch', this.workflowId, undefined);
    const gone: string[] = [];
    let first = 0;
    for (const { workflowId, rows: length } of batch.request?.pages ?? []) {
      const page = await readLatestRun<BatchPage>(this.#client, workflowId);
      if (page === undefined) gone.push(`${first + 1} to ${first + length}`);
      const rows = page?.request?.rows ?? [];
      for await (const some of rowResults(this.#client, this.workflowId, { rows, first }, signal))
        yield* some;
      first += length;
    }
    const message = `the server has deleted what names the rows ${gone.join(', ')}`;
    if (gone.length > 0) throw new WorkflowNotFoundError(message, this.workflowId, undefined);
  }
}
