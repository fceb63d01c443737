import type { Client } from '@temporalio/client';
import type { GenerationRequest } from '../../contract/generation.ts';
import { proseOf } from '../../contract/prose.ts';
import type { LatestRun } from '../../temporal/latest-run.ts';
import type { PipelinePlan } from './plan-pipeline.ts';
import { attemptsOf, PriceBook } from './price-book.ts';

/** What a task may still become that a run has given up. */
const ADOPTED: ReadonlySet<string> = new Set(['completed', 'overdue']);

/**
 * What a generation that runs once more will buy, under its own id: what it holds is adopted, what failed is bought.
 *
 * @param request as it is to run
 */
export async function planGeneration(
  client: Client,
  workflowId: string,
  { runId, isClosed }: LatestRun<unknown>,
  request: GenerationRequest,
): Promise<PipelinePlan> {
  const { model, workspace } = request;
  const attempts = isClosed ? await attemptsOf(client, workflowId, runId) : [];
  const mayBuy = request.adoptOnly === undefined;
  const adopts = !isClosed || !mayBuy || attempts.some(({ outcome }) => ADOPTED.has(outcome));
  const prices = new PriceBook(client, proseOf([model]), workspace);
  await prices.learnFrom(workflowId);
  const { credits = null } = adopts ? { credits: 0 } : ((await prices.of(request)) ?? {});
  return {
    generations: [
      {
        path: workflowId,
        model,
        action: adopts ? 'reuse' : 'buy',
        from: adopts ? workflowId : null,
        credits,
      },
    ],
    bought: adopts ? 0 : 1,
    reused: adopts ? 1 : 0,
    credits: credits ?? 0,
    unknownPrices: credits === null ? 1 : 0,
    approvals: [],
  };
}
