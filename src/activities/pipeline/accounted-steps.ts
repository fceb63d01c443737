import { type Client, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { PipelineResult, StepItem } from '../../contract/pipeline.ts';
import { pathOfGeneration } from '../../contract/steps/step-ids.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { runsOf } from '../../temporal/visibility-query.ts';

const MAX_RUNS = 50;

/**
 * Which generations the earlier runs of a pipeline have accounted for, in a result or in a failure: one that was
 * terminated, cancelled or Reset while it ran has accounted for nothing.
 *
 * @returns by path, when the last of these runs closed, in milliseconds since the epoch: what was started by then is
 *   part of a bill that somebody has got, because a pipeline waits for all that it has started
 */
export async function accountedSteps(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<Record<string, number>> {
  const accounted = new Map<string, number>();
  const listed = client.workflow.list({ query: runsOf(workflowId), pageSize: MAX_RUNS });
  let looked = 0;
  for await (const { workflowId: id, runId: earlier } of listed) {
    if (id !== workflowId || earlier === runId) continue;
    looked += 1;
    if (looked > MAX_RUNS) break;
    // The list may lag behind; the run itself does not.
    const closedAt = (await describeRun(client, workflowId, earlier))?.closeTime?.getTime();
    const result = closedAt === undefined ? undefined : await outcomeOf(client, workflowId, earlier);
    for (const path of result === undefined ? [] : pathsOf(result, workflowId)) {
      accounted.set(path, Math.max(accounted.get(path) ?? 0, closedAt ?? 0));
    }
  }
  return Object.fromEntries(accounted);
}

/** What a run has told in its end; undefined where it has told nothing. */
async function outcomeOf(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<PipelineResult | undefined> {
  try {
    const handle = client.workflow.getHandle(workflowId, runId, { followRuns: false });
    return (await handle.result()) as PipelineResult; // the workflow's own result type
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) return undefined;
    const { cause } = error;
    const isTold = cause instanceof ApplicationFailure && cause.type === 'PIPELINE_FAILED';
    return isTold ? (cause.details?.[0] as PipelineResult | undefined) : undefined; // the contract's first detail
  }
}

function pathsOf({ steps }: PipelineResult, pipelineId: string): string[] {
  const items = Object.values(steps).flatMap((step): StepItem[] => ('items' in step ? step.items : [step]));
  return items.flatMap((item) => {
    const isReused = item.status === 'COMPLETED' && item.reused === true;
    const { workflowId } = item;
    return workflowId === null || isReused ? [] : pathOfGeneration(pipelineId, workflowId);
  });
}
