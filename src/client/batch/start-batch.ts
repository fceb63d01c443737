import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import pLimit from 'p-limit';
import {
  type BatchPage,
  type BatchRequest,
  type BatchResult,
  type BatchRow,
  MOST_PAGE_BYTES,
  MOST_PAGE_ROWS,
} from '../../contract/batch.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { TAGS_MEMO } from '../../contract/tags.ts';
import { fairnessKey } from '../../contract/tasks/submit-queue.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';
import { KeyInUseError } from '../failures/key-in-use-error.ts';
import { digestOf } from './row-digest.ts';

/** So many pages are sent at once. */
const AT_ONCE = 8;

export interface BatchStart {
  /** `batch/<key>` */
  workflowId: string;
  taskQueue: string;
  pipeline: PipelineRequest;
  /** Their ids differ. */
  rows: readonly BatchRow[];
  concurrency?: number | undefined;
  /** Credits, for all rows together. */
  budget?: number | undefined;
  callback?: string | undefined;
  /** Whether rows that failed in an earlier run are run once more. */
  retryFailed?: boolean | undefined;
}

/** Where a batch stands when somebody asks for it. */
export type StartedBatch =
  /** It runs now; `attached`: it did so before. */
  | { kind: 'running'; attached: boolean }
  /** It had ended before, and nothing is left to do. */
  | { kind: 'ended'; result: BatchResult };

/**
 * Starts a batch, or attaches to the one that has its id. One that has ended is started again where rows are left: new
 * ones, those that no budget admitted, those of a run that was cancelled, and the failed ones where that is asked for.
 * Rows that are there already are not bought again.
 *
 * @throws KeyInUseError where it runs with other rows
 */
export async function startBatch(client: Client, start: BatchStart): Promise<StartedBatch> {
  const { workflowId, pipeline, concurrency, budget, callback, retryFailed } = start;
  const pages = pagesOf(start);
  const names = pages.map(({ workflowId: page, rows }) => ({ workflowId: page, rows: rows.length }));
  const earlier = await readLatestRun<BatchRequest>(client, workflowId);
  if (earlier !== undefined) {
    const isSame = JSON.stringify(earlier.request?.pages) === JSON.stringify(names);
    if (!earlier.isClosed) {
      if (!isSame) throw new KeyInUseError(workflowId, ['rows']);
      return { kind: 'running', attached: true };
    }
    if (isSame && earlier.status === 'COMPLETED') {
      const result = (await client.workflow.getHandle(workflowId, earlier.runId).result()) as BatchResult; // its own type
      if (result.refused === 0 && (result.failed === 0 || retryFailed !== true))
        return { kind: 'ended', result };
    }
  }
  await sendPages(client, start, pages);
  const request: BatchRequest = {
    pipeline,
    pages: names,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(budget === undefined ? {} : { budget: { credits: budget } }),
    ...(callback === undefined ? {} : { callback }),
    ...(retryFailed === true ? { retryFailed } : {}),
    ...(earlier === undefined ? {} : { again: true }),
  };
  try {
    await client.workflow.start('batch', {
      workflowId,
      args: [request],
      ...optionsOf(start),
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      ...(pipeline.tags === undefined ? {} : { memo: { [TAGS_MEMO]: pipeline.tags } }),
      staticSummary: `${start.rows.length} rows, ${Object.keys(pipeline.steps).length} steps each`,
    });
    return { kind: 'running', attached: false };
  } catch (error) {
    // Another caller was quicker.
    if (error instanceof WorkflowExecutionAlreadyStartedError) return { kind: 'running', attached: true };
    throw error;
  }
}

/** The pages are named for what is in them, so that sending them again changes nothing. */
function pagesOf({ workflowId, pipeline, rows }: BatchStart): ({ workflowId: string } & BatchPage)[] {
  const pages: BatchRow[][] = [];
  let bytes = Infinity;
  for (const row of rows) {
    const own = jsonBytes(row);
    if (bytes + own > MOST_PAGE_BYTES || (pages.at(-1)?.length ?? 0) >= MOST_PAGE_ROWS) {
      pages.push([]);
      bytes = 0;
    }
    pages.at(-1)?.push(row);
    bytes += own;
  }
  const { workspace = DEFAULT_WORKSPACE } = pipeline;
  return pages.map((page) => ({
    workflowId: `${workflowId}/rows/${digestOf([workspace, page])}`,
    workspace,
    rows: page,
  }));
}

async function sendPages(
  client: Client,
  start: BatchStart,
  pages: readonly ({ workflowId: string } & BatchPage)[],
): Promise<void> {
  const limit = pLimit(AT_ONCE);
  await Promise.all(
    pages.map(({ workflowId, ...page }) =>
      limit(() =>
        client.workflow.start('batchRows', {
          workflowId,
          args: [page],
          ...optionsOf(start),
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      ),
    ),
  );
}

function optionsOf({ taskQueue, pipeline }: BatchStart) {
  const { workspace = DEFAULT_WORKSPACE } = pipeline;
  return { taskQueue, priority: { fairnessKey: fairnessKey(workspace) } };
}
