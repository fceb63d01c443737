import type { Client } from '@temporalio/client';
import type { BatchRow } from '../../contract/batch.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { rowRequest } from '../../contract/steps/row-request.ts';
import { type PipelinePlan, planPipeline } from './plan-pipeline.ts';
import { PriceBook } from './price-book.ts';

/** Rows whose costs are worked out one by one. */
const MOST_PLANNED = 1_000;

/** What the rows of a batch would cost, each by itself; those that are there already are not looked for. */
export interface BatchPlan {
  rows: number;
  /** Of all rows; null where some prices are not known. */
  credits: number | null;
  /** `each row by itself`, or the rows that it was worked out from. */
  basis: string;
  /** Of the first row. */
  first: PipelinePlan;
}

/** @param rows at least one, which have passed their checks */
export async function planBatch(
  client: Client,
  pipeline: PipelineRequest,
  rows: readonly BatchRow[],
): Promise<BatchPlan> {
  const prices = new PriceBook(client, pipeline.workspace);
  const plans: PipelinePlan[] = [];
  for (const row of rows.slice(0, MOST_PLANNED)) {
    const request = rowRequest(pipeline, row);
    if (request !== undefined) plans.push(await planPipeline(client, request, prices));
  }
  const [first] = plans;
  if (first === undefined) throw new RangeError('there are no rows');
  const sum = plans.reduce((all, one) => all + one.credits, 0);
  const isKnown = plans.every(({ unknownPrices }) => unknownPrices === 0);
  const credits = isKnown ? Math.round((sum / plans.length) * rows.length) : null;
  const basis = rows.length > MOST_PLANNED ? `by the first ${MOST_PLANNED} rows` : 'each row by itself';
  return { rows: rows.length, credits, basis, first };
}
