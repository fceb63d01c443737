import { type Client, type WorkflowExecutionDescription, WorkflowFailedError } from '@temporalio/client';
import type { Usage } from '../api/records/usage.ts';
import { ROW_MEMO } from '../contract/batch.ts';
import type { PipelineResult } from '../contract/pipeline.ts';
import { DarkroomState } from '../contract/search-attributes.ts';
import { stepFailure } from '../contract/steps/step-failure.ts';
import { describeRun } from './describe-run.ts';

/** What there is of a batch's row, by its pipeline's latest run. */
export type RowRun =
  | { kind: 'missing' }
  /** The id belongs to another request. */
  | { kind: 'different' }
  /** `state`: the value of its `DarkroomState`. */
  | { kind: 'running'; state?: string }
  /** `told`: by its end, where it could tell. */
  | {
      kind: 'ended';
      isCompleted: boolean;
      told: { usage?: Usage; charged?: Usage };
      run: WorkflowExecutionDescription;
    };

export async function readRow(
  client: Client,
  { workflowId, digest }: { workflowId: string; digest: string },
): Promise<RowRun> {
  const run = await describeRun(client, workflowId);
  if (run === undefined) return { kind: 'missing' };
  if (run.type !== 'pipeline' || run.memo?.[ROW_MEMO] !== digest) return { kind: 'different' };
  if (run.closeTime !== undefined) return { kind: 'ended', ...(await endOf(client, run)), run };
  const [state] = [run.searchAttributes[DarkroomState.name]].flat();
  return { kind: 'running', ...(typeof state === 'string' ? { state } : {}) };
}

async function endOf(client: Client, { workflowId, runId }: WorkflowExecutionDescription) {
  try {
    const handle = client.workflow.getHandle(workflowId, runId, { followRuns: false });
    const { status, usage, charged } = (await handle.result()) as PipelineResult; // the workflow's own result type
    return { isCompleted: status === 'COMPLETED', told: { usage, charged } };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const details = stepFailure(error.cause).details as { usage?: Usage; charged?: Usage } | null; // if it has told any
    return { isCompleted: false, told: details ?? {} };
  }
}
