import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { isRecord } from '../../api/json/is-record.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';

/**
 * The rows of a page, as the caller has sent them: the workflow looks whether they are some.
 *
 * @throws INVALID_REQUEST where the server has no such page of that workspace, or no longer: the same command sends it
 *   again
 */
export async function readRows(
  client: Client,
  { workflowId, workspace }: { workflowId: string; workspace: string },
): Promise<unknown> {
  const run = await readLatestRun<unknown>(client, workflowId);
  const page = run?.type === 'batchRows' && isRecord(run.request) ? run.request : undefined;
  // Workspaces are walls: of a page of another one is told what is told of one that is not there.
  if (page !== undefined && page['workspace'] === workspace) return page['rows'];
  throw ApplicationFailure.create({
    type: 'INVALID_REQUEST',
    message: `the server has no rows ${workflowId}: the command that started the batch sends them again`,
    nonRetryable: true,
  });
}
