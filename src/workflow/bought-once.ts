import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import type { StepFailure } from '../contract/pipeline.ts';
import { TAGS_MEMO, type Tags } from '../contract/tags.ts';
import { parentMemo } from '../workflows/parent-run.ts';
import { passCancellationOn } from '../workflows/pass-cancellation-on.ts';

/** What there is of a child by now. */
type Found<Result> =
  | { kind: 'missing' }
  | { kind: 'different'; differences?: string[] }
  | { kind: 'running' }
  | { kind: 'completed'; result: Result }
  | { kind: 'failed'; failure: StepFailure; runId?: string };

export interface Purchase<Result> {
  type: 'generation' | 'pipeline';
  workflowId: string;
  taskQueue: string;
  /** The child's one argument; told of a failed run before it, where there is one. */
  request: (earlierRun?: string) => { tags?: Tags | undefined };
  summary: string;
  /** Looks at the child that has the id; with `wait`, until it has ended. */
  look: (wait: boolean) => Promise<Found<Result>>;
}

/**
 * The result of a child that is started once for its id: one that runs or has ended is taken over; one that has failed
 * is started again, and adopts what it had bought.
 *
 * @throws ApplicationFailure of the API's or Darkroom's type, as the child failed; KEY_IN_USE where the id belongs to
 *   another request
 */
export async function boughtOnce<Result>(purchase: Purchase<Result>): Promise<Result> {
  let isOurs = false;
  const onRunning = (): void => {
    isOurs = true;
  };
  return await passCancellationOn(
    () => (isOurs ? [purchase.workflowId] : []),
    () => runOrFollow(purchase, onRunning),
  );
}

/** @param onRunning called once it is sure that what runs under the id is what was asked for */
async function runOrFollow<Result>(purchase: Purchase<Result>, onRunning: () => void): Promise<Result> {
  let reuse: WorkflowIdReusePolicy = WorkflowIdReusePolicy.REJECT_DUPLICATE;
  let earlierRun: string | undefined;
  for (;;) {
    try {
      return await runChild(purchase, { reuse, earlierRun, onRunning });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    const found = await purchase.look(false);
    if (found.kind === 'completed') return found.result;
    if (found.kind === 'different') throw keyInUse(purchase.workflowId, found.differences);
    if (found.kind === 'running') {
      onRunning();
      return await followed(purchase);
    }
    // Failed, or gone just now: started again, which somebody else may do at the same time.
    reuse = WorkflowIdReusePolicy.ALLOW_DUPLICATE;
    earlierRun = found.kind === 'failed' ? found.runId : undefined;
  }
}

async function runChild<Result>(
  { type, workflowId, taskQueue, request, summary }: Purchase<Result>,
  {
    reuse,
    earlierRun,
    onRunning,
  }: { reuse: WorkflowIdReusePolicy; earlierRun: string | undefined; onRunning: () => void },
): Promise<Result> {
  try {
    const argument = request(earlierRun);
    const child = await startChild<(argument: object) => Promise<Result>>(type, {
      workflowId,
      taskQueue,
      args: [argument],
      workflowIdReusePolicy: reuse,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      // What is paid for goes on when its parent is terminated or Reset: the next run takes it over.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: summary,
      memo: {
        ...parentMemo(),
        ...(argument.tags === undefined ? {} : { [TAGS_MEMO]: argument.tags }),
      },
    });
    onRunning();
    return await child.result();
  } catch (error) {
    if (!(error instanceof ChildWorkflowFailure) || CancellationScope.current().consideredCancelled)
      throw error;
    // The failure itself, by whose type workflow code tells what happened.
    throw error.cause instanceof ApplicationFailure ? error.cause : error;
  }
}

/** Waits for one that an earlier run has started. */
async function followed<Result>({ look }: Purchase<Result>): Promise<Result> {
  const found = await look(true);
  if (found.kind === 'completed') return found.result;
  const failure = found.kind === 'failed' ? found.failure : GONE;
  throw ApplicationFailure.create({ ...failure, details: [failure.details], nonRetryable: true });
}

/** It ran when it was looked at before: somebody has deleted it. */
const GONE: StepFailure = { type: 'UNKNOWN', message: 'the server no longer has the run', details: null };

function keyInUse(workflowId: string, differences: readonly string[] | undefined): ApplicationFailure {
  const what = differences === undefined ? 'model or input' : differences.slice(0, 10).join(', ');
  return ApplicationFailure.create({
    type: 'KEY_IN_USE',
    message: `${workflowId} was started with another ${what}; give this one another key or name`,
    nonRetryable: true,
  });
}
