import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { type BatchRow, isToStart } from '../../contract/batch.ts';
import { Places } from '../../contract/places.ts';
import { rowRequest } from '../../contract/steps/row-request.ts';
import { readRow } from '../../temporal/read-row.ts';
import { type BatchStart, standingOf } from '../batch/start-batch.ts';
import { type PipelinePlan, planPipeline } from './plan-pipeline.ts';
import { PriceBook, type SourceFiles } from './price-book.ts';

/** So many rows are asked for at once. */
const AT_ONCE = 20;

/** What starting a batch would buy, each row by itself. */
export interface BatchPlan {
  rows: number;
  /** Rows of which nothing is bought: they run or have ended, or their ids belong to other requests. */
  there: number;
  /** Of all rows that are bought; null where some prices are not known. */
  credits: number | null;
  /** Of the first row that is bought; null where none is. */
  first: PipelinePlan | null;
}

/**
 * A row that is tried again counts with its whole price: what it takes over of what it has bought is not known.
 *
 * @param start with at least one row; all have passed their checks
 * @throws KeyInUseError as the start would
 */
export async function planBatch(
  client: Client,
  files: SourceFiles,
  start: Pick<BatchStart, 'workflowId' | 'pipeline' | 'rows' | 'retryFailed'>,
): Promise<BatchPlan> {
  const { pipeline, rows } = start;
  const standing = await standingOf(client, start);
  if (standing.kind !== 'left') return { rows: rows.length, there: rows.length, credits: 0, first: null };
  const begun = new Places(standing.known?.begun);
  const limit = pLimit(AT_ONCE);
  const prices = new PriceBook(client, files, pipeline.workspace);
  const sum: Sum = { there: 0, credits: 0, unknownPrices: 0, first: null };
  const add = async (row: BatchRow, place: number): Promise<void> => {
    const run = await readRow(client, { workflowId: `${start.workflowId}/${row.id}`, digest: row.digest });
    const isGone = run.kind === 'missing' && begun.has(place);
    if (isGone || !isToStart(run, start.retryFailed)) {
      sum.there += 1;
      return;
    }
    const request = rowRequest(pipeline, row);
    if (request === undefined) return;
    const plan = await planPipeline(client, request, prices);
    sum.credits += plan.credits;
    sum.unknownPrices += plan.unknownPrices;
    if (sum.first === null || place < sum.first.place) sum.first = { place, plan };
  };
  await Promise.all(rows.map((row, place) => limit(add, row, place)));
  const { there, credits, unknownPrices, first } = sum;
  return {
    rows: rows.length,
    there,
    credits: unknownPrices === 0 ? credits : null,
    first: first?.plan ?? null,
  };
}

/** Of the rows that were looked at: a plan of each would be too much to keep. */
interface Sum {
  there: number;
  credits: number;
  unknownPrices: number;
  first: { place: number; plan: PipelinePlan } | null;
}
