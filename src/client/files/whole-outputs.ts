import type { Client } from '@temporalio/client';
import type { GenerationOutput, GenerationResult } from '../../contract/generation.ts';
import type { CompletedItem } from '../../contract/pipeline.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { followResult } from '../following/follow-result.ts';

/**
 * The outputs of a generation of a pipeline. What a large pipeline's result leaves out is in the generation's own; none
 * where that has no result now: the server has deleted it, or it runs again.
 */
export async function wholeOutputs(
  client: Client,
  { workflowId, result, omitted = [] }: CompletedItem,
): Promise<readonly GenerationOutput[]> {
  if (!omitted.includes('outputs')) return result.outputs;
  const run = await describeRun(client, workflowId);
  if (run?.closeTime === undefined) return [];
  const outcome = await followResult(client, workflowId, run.runId);
  return outcome.ok ? (outcome.result as GenerationResult).outputs : []; // a generation's own result
}
