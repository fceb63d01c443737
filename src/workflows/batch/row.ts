import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  ParentClosePolicy,
  proxyActivities,
  startChild,
  type WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { NO_USAGE, type Usage } from '../../api/records/usage.ts';
import type { DarkroomActivities } from '../../contract/activities.ts';
import { ROW_MEMO, type RowLook } from '../../contract/batch.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { stepFailure } from '../../contract/steps/step-failure.ts';
import { parentMemo } from '../parent-run.ts';
import { pipeline } from '../pipeline/pipeline.ts';

/** A row that still runs is looked at again by Temporal's own retries, later and later. */
const { lookAtRow } = proxyActivities<Pick<DarkroomActivities, 'lookAtRow'>>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 1.5, maximumInterval: '1 minute' },
});

export type RowEnd = Extract<RowLook, { kind: 'ended' }>;

/** One row that is to run. */
export interface Row {
  workflowId: string;
  digest: string;
  request: PipelineRequest;
  /** What to do where the id has been used before. */
  reuse: WorkflowIdReusePolicy;
  /** Whether an earlier batch of this id may have started it. */
  isAgain: boolean;
  /** Called once Temporal has told whether it was started. */
  onStart: () => void;
  /** Called where it was there already. */
  onThere: () => void;
}

/** Runs a row's pipeline to its end; where it is there already, it is taken as it is. A failure is a result here. */
export async function runRow({
  workflowId,
  digest,
  request,
  reuse,
  isAgain,
  onStart,
  onThere,
}: Row): Promise<RowEnd> {
  try {
    const child = await startChild(pipeline, {
      workflowId,
      args: [request],
      workflowIdReusePolicy: reuse,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      // What is paid for goes on when a batch is terminated: the next run takes it over.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      memo: { ...parentMemo(isAgain), [ROW_MEMO]: digest },
    });
    onStart();
    const { status, usage, charged } = await child.result();
    return { kind: 'ended', isCompleted: status === 'COMPLETED', usage, charged };
  } catch (error) {
    onStart();
    if (error instanceof WorkflowExecutionAlreadyStartedError) {
      onThere();
      return await takeRow(workflowId, digest);
    }
    if (!(error instanceof ChildWorkflowFailure) || CancellationScope.current().consideredCancelled)
      throw error;
    const details = stepFailure(error.cause).details as { usage?: Usage; charged?: Usage } | null; // if it has told any
    const { usage = NO_USAGE, charged = NO_USAGE } = details ?? {};
    return { kind: 'ended', isCompleted: false, usage, charged };
  }
}

/** A row that was there before: what it has cost until now is not charged again. */
async function takeRow(workflowId: string, digest: string): Promise<RowEnd> {
  const found = await lookAtRow({ workflowId, digest, wait: false });
  return found.kind === 'ended' ? { ...found, charged: NO_USAGE } : await followRow(workflowId, digest);
}

/** What a row that runs is searched by now, its `DarkroomState`; null where it needs nothing, or does not run. */
export async function stateOfRow(workflowId: string, digest: string): Promise<string | null> {
  const found = await lookAtRow({ workflowId, digest, wait: false });
  return found.kind === 'running' ? (found.state ?? null) : null;
}

/** Waits for the end of a row that this run has not started. */
export async function followRow(workflowId: string, digest: string): Promise<RowEnd> {
  const found = await lookAtRow({ workflowId, digest, wait: true });
  return found.kind === 'ended'
    ? found
    : { kind: 'ended', isCompleted: false, usage: NO_USAGE, charged: NO_USAGE };
}
