import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { isToStart } from '../../contract/batch.ts';
import { rowRequest } from '../../contract/steps/row-request.ts';
import { readRow } from '../../temporal/read-row.ts';
import { type BatchStart, standingOf } from '../batch/start-batch.ts';
import { type PipelinePlan, planPipeline } from './plan-pipeline.ts';
import { PriceBook } from './price-book.ts';

/** Rows whose costs are worked out one by one, of those that are bought. */
const MOST_PLANNED = 1_000;
/** So many rows are asked for at once. */
const AT_ONCE = 20;

/** What starting a batch would buy, each row by itself. */
export interface BatchPlan {
  rows: number;
  /** Rows of which nothing is bought: they run or have ended, or their ids belong to other requests. */
  there: number;
  /** Of all rows that are bought; null where some prices are not known. */
  credits: number | null;
  /** `each row by itself`, or the rows that it was worked out from. */
  basis: string;
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
  start: Pick<BatchStart, 'workflowId' | 'pipeline' | 'rows' | 'retryFailed'>,
): Promise<BatchPlan> {
  const { pipeline, rows } = start;
  const standing = await standingOf(client, start);
  if (standing.kind !== 'left')
    return { rows: rows.length, there: rows.length, credits: 0, basis: EACH, first: null };
  const limit = pLimit(AT_ONCE);
  const isBought = await Promise.all(
    rows.map(({ id, digest }) =>
      limit(async () => {
        const row = await readRow(client, { workflowId: `${start.workflowId}/${id}`, digest });
        return isToStart(row, start.retryFailed);
      }),
    ),
  );
  const left = rows.filter((_, index) => isBought[index]);
  const some = left.slice(0, MOST_PLANNED);
  const prices = new PriceBook(client, pipeline.workspace);
  const plans: PipelinePlan[] = [];
  for (const row of some) {
    const request = rowRequest(pipeline, row);
    if (request !== undefined) plans.push(await planPipeline(client, request, prices));
  }
  const sum = plans.reduce((all, one) => all + one.credits, 0);
  const credits = some.length === left.length ? sum : (sum / some.length) * left.length;
  return {
    rows: rows.length,
    there: rows.length - left.length,
    credits: plans.every(({ unknownPrices }) => unknownPrices === 0) ? Math.round(credits) : null,
    basis: left.length > MOST_PLANNED ? `by the first ${MOST_PLANNED} rows that are bought` : EACH,
    first: plans[0] ?? null,
  };
}

const EACH = 'each row by itself';
