import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { BatchPage, BatchRow } from '../../contract/batch.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';

/**
 * The rows of a page, as the caller has sent them.
 *
 * @throws INVALID_REQUEST where the server has no such page, or no longer: the same command sends it again
 */
export async function readRows(client: Client, workflowId: string): Promise<BatchRow[]> {
  const run = await readLatestRun<BatchPage>(client, workflowId);
  if (run?.type === 'batchRows' && run.request !== undefined) return run.request.rows;
  throw ApplicationFailure.create({
    type: 'INVALID_REQUEST',
    message: `the server has no rows ${workflowId}: the command that started the batch sends them again`,
    nonRetryable: true,
  });
}
