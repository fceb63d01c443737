import type { Client } from '@temporalio/client';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { LatestRun } from '../../temporal/latest-run.ts';
import { type PipelinePlan, told } from './plan-pipeline.ts';
import { leftBy, PriceBook, type SourceFiles } from './price-book.ts';

/** What a task may still become that a run has given up. */
const ADOPTED: ReadonlySet<string> = new Set(['completed', 'overdue']);

/**
 * What a generation that runs once more will buy, under its own id: what it holds is adopted, what failed is bought,
 * unless nothing may be.
 *
 * @param request as it is to run
 */
export async function planGeneration(
  client: Client,
  files: SourceFiles,
  workflowId: string,
  earlier: LatestRun<unknown>,
  request: GenerationRequest,
): Promise<PipelinePlan> {
  const { model, workspace, adoptOnly } = request;
  const { adopts, held } = await heldBy(client, workflowId, earlier);
  const action = adopts ? 'reuse' : adoptOnly === undefined ? 'buy' : 'skip';
  const prices = new PriceBook(client, files, workspace);
  await prices.learnFrom(workflowId);
  const price = action === 'buy' ? told(await prices.of(request), request) : { credits: 0 };
  const { credits } = price;
  return {
    generations: [
      {
        path: workflowId,
        model,
        action,
        from: adopts ? workflowId : null,
        ...price,
        ...(action === 'skip' && adoptOnly !== undefined
          ? { reason: `${adoptOnly.type}: ${adoptOnly.message}` }
          : {}),
        ...(action !== 'reuse' && held !== undefined ? { unless: `task ${held} can be taken over` } : {}),
      },
    ],
    bought: action === 'buy' ? 1 : 0,
    reused: adopts ? 1 : 0,
    credits: credits ?? 0,
    unknownPrices: credits === null ? 1 : 0,
    approvals: [],
  };
}

/**
 * Whether the latest run has a task that the next one takes over. One that was terminated cannot say how its last one
 * ended: `held` is that one.
 */
async function heldBy(
  client: Client,
  workflowId: string,
  { runId, isClosed, taskId }: LatestRun<unknown>,
): Promise<{ adopts: boolean; held?: string | undefined }> {
  if (!isClosed) return { adopts: true };
  const left = await leftBy(client, workflowId, runId);
  if (left === null) return { adopts: false, held: taskId };
  const adopts = (left.taskId ?? null) !== null || left.attempts.some(({ outcome }) => ADOPTED.has(outcome));
  return { adopts };
}
