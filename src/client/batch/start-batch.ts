import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import pLimit from 'p-limit';
import {
  type BatchPage,
  type BatchRequest,
  type BatchResult,
  type BatchRow,
  type KnownRows,
  MOST_PAGE_BYTES,
  MOST_PAGE_ROWS,
} from '../../contract/batch.ts';
import { inParcels } from '../../contract/json-bytes.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { TAGS_MEMO } from '../../contract/tags.ts';
import { fairnessKey } from '../../contract/tasks/submit-queue.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';
import { KeyInUseError } from '../failures/key-in-use-error.ts';
import { knownOf, readKnown } from './known-rows.ts';
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
  /** It runs now; `attached`: it did so before. `otherwise`: which options it was started with differently. */
  | { kind: 'running'; attached: boolean; otherwise?: ('budget' | 'callback' | 'concurrency')[] }
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
  const standing = await standingOf(client, start, pages);
  if (standing.kind !== 'left') return standing;
  await sendPages(client, start, pages);
  const request: BatchRequest = {
    pipeline,
    pages: namesOf(pages),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(budget === undefined ? {} : { budget: { credits: budget } }),
    ...(callback === undefined ? {} : { callback }),
    ...(retryFailed === true ? { retryFailed } : {}),
    ...(standing.known === undefined ? {} : { again: true, known: standing.known }),
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
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    // Another caller was quicker, perhaps with other rows.
    return await startBatch(client, start);
  }
}

/**
 * Where a batch stands before it is started: it runs, has ended, or rows are left to start. `known`: by its earlier run.
 *
 * @throws KeyInUseError where it runs with other rows
 */
export async function standingOf(
  client: Client,
  start: Omit<BatchStart, 'taskQueue'>,
  pages: readonly Page[] = pagesOf(start),
): Promise<StartedBatch | { kind: 'left'; known?: KnownRows }> {
  const { workflowId, retryFailed } = start;
  const earlier = await readLatestRun<BatchRequest>(client, workflowId);
  if (earlier === undefined) return { kind: 'left' };
  const isSame = JSON.stringify(earlier.request?.pages) === JSON.stringify(namesOf(pages));
  if (!earlier.isClosed) {
    if (!isSame) throw new KeyInUseError(workflowId, ['rows']);
    return { kind: 'running', attached: true, otherwise: otherwiseIn(earlier.request, start) };
  }
  if (isSame && earlier.status === 'COMPLETED') {
    const result = (await client.workflow.getHandle(workflowId, earlier.runId).result()) as BatchResult; // its own type
    if (result.refused === 0 && (result.failed === 0 || retryFailed !== true))
      return { kind: 'ended', result };
  }
  const known = await readKnown(client, workflowId);
  const before = earlier.request?.pages ?? [];
  return {
    kind: 'left',
    known: await knownOf(client, known, before, { workflowId, pages: namesOf(pages), rows: start.rows }),
  };
}

/** What is asked for, and a batch that runs was started with differently. */
function otherwiseIn(
  request: BatchRequest | undefined,
  { budget, callback, concurrency }: Omit<BatchStart, 'taskQueue'>,
): ('budget' | 'callback' | 'concurrency')[] {
  const asked = { budget, callback, concurrency };
  const own = { ...request, budget: request?.budget?.credits };
  return (['budget', 'callback', 'concurrency'] as const).filter(
    (name) => asked[name] !== undefined && asked[name] !== own[name],
  );
}

type Page = { workflowId: string } & BatchPage;

function namesOf(pages: readonly Page[]): BatchRequest['pages'] {
  return pages.map(({ workflowId, rows }) => ({ workflowId, rows: rows.length }));
}

/** The pages are named for what is in them, so that sending them again changes nothing. */
function pagesOf({
  workflowId,
  pipeline,
  rows,
}: Pick<BatchStart, 'workflowId' | 'pipeline' | 'rows'>): Page[] {
  const pages = inParcels(rows, { count: MOST_PAGE_ROWS, bytes: MOST_PAGE_BYTES });
  const { workspace = DEFAULT_WORKSPACE } = pipeline;
  return pages.map((page) => ({
    workflowId: `${workflowId}/rows/${digestOf([workspace, page])}`,
    workspace,
    rows: page,
  }));
}

async function sendPages(client: Client, start: BatchStart, pages: readonly Page[]): Promise<void> {
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
