import { type Client, WorkflowFailedError } from '@temporalio/client';
import type { PipelineRequest, PipelineResult } from '../../contract/pipeline.ts';
import { differences } from '../../contract/purchases/same-purchase.ts';
import { stepFailure } from '../../contract/steps/step-failure.ts';
import type { PipelineLook, PipelineLookedAt } from '../../contract/steps/step-look.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';
import { endedBefore } from '../parents/ended-before.ts';
import { stillRunning } from '../parents/still-running.ts';

/**
 * One short look at a pipeline that a workflow of somebody's own waits for: whether it is the one that was asked for,
 * and how it has ended. It never waits, so it holds no slot that the pipeline's own activities need.
 *
 * @throws STILL_RUNNING where `wait` is set and it runs: Temporal looks again, later and later
 */
export async function lookAtPipeline(
  client: Client,
  { workflowId, request, wait }: PipelineLook,
): Promise<PipelineLookedAt> {
  const run = await readLatestRun<PipelineRequest>(client, workflowId);
  if (run === undefined) return { kind: 'missing' };
  if (run.type !== 'pipeline') return { kind: 'different', differences: ['workflow type'] };
  const unlike = differences('pipeline', request, run.request);
  if (unlike.length > 0) return { kind: 'different', differences: unlike };
  if (!run.isClosed) {
    if (wait) throw stillRunning(workflowId);
    return { kind: 'running' };
  }
  try {
    const handle = client.workflow.getHandle(workflowId, run.runId, { followRuns: false });
    return { kind: 'completed', result: (await handle.result()) as PipelineResult }; // the workflow's own result type
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    return { kind: 'failed', failure: stepFailure(error.cause), ...(await endedBefore(client, run)) };
  }
}
