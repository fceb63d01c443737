import type { Client } from '@temporalio/client';
import { type LatestRun, readLatestRun } from '../../temporal/latest-run.ts';
import { isSpent } from '../starting/spent-key.ts';
import { checkSame } from '../starting/start-or-attach.ts';
import type { StartRequest } from '../starting/start-request.ts';
import { type PipelinePlan, planPipeline, told } from './plan-pipeline.ts';
import { PriceBook, type SourceFiles } from './price-book.ts';

/** What is bought where a start attaches to what is there. */
export const NOTHING: PipelinePlan = {
  generations: [],
  bought: 0,
  reused: 0,
  credits: 0,
  unknownPrices: 0,
  approvals: [],
};

/**
 * What a start would buy, if every generation completes at its first attempt: NOTHING where it attaches. Nothing is
 * started.
 *
 * @throws KeyInUseError as the start would
 */
export async function planStart(
  client: Client,
  files: SourceFiles,
  start: StartRequest,
): Promise<PipelinePlan> {
  const { kind, workflowId, request } = start;
  const taken = await takenBy(client, workflowId);
  if (taken !== undefined) {
    checkSame(start, taken);
    return NOTHING;
  }
  const prices = new PriceBook(client, files, request.workspace);
  if (kind === 'pipeline') return await planPipeline(client, request, prices);
  const price = told(await prices.of(request), request);
  const { credits } = price;
  return {
    ...NOTHING,
    generations: [{ path: workflowId, model: request.model, action: 'buy', from: null, ...price }],
    bought: 1,
    credits: credits ?? 0,
    unknownPrices: credits === null ? 1 : 0,
  };
}

/** The run that a start attaches to: what failed before it bought anything is started anew. */
async function takenBy(client: Client, workflowId: string): Promise<LatestRun<unknown> | undefined> {
  const earlier = await readLatestRun<unknown>(client, workflowId);
  return earlier !== undefined && (await isSpent(client, workflowId, earlier)) ? earlier : undefined;
}
