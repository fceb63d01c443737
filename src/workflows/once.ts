import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  type ActivityOptions,
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import type { StepFailure } from '../contract/pipeline.ts';
import { stepFailure } from '../contract/steps/step-failure.ts';
import type { EndedBefore } from '../contract/steps/step-look.ts';
import { parentMemo } from './parent-run.ts';
import { RESET, ResetWatch } from './reset-watch.ts';

/**
 * Looks are short. What still runs is looked at again by Temporal's own retries, later and later: between two of them
 * nothing is held anywhere, and the history does not grow.
 */
export const LOOKS = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 1.5, maximumInterval: '1 minute' },
} as const satisfies ActivityOptions;

/** A child that is started once for its id. */
export interface Child {
  type: 'generation' | 'pipeline';
  workflowId: string;
  /** Its one argument. */
  argument: object;
  /** Whether it may follow another run of its id that has ended. */
  isAnother: boolean;
  /** Whether an earlier run of its parent may have started it, be it the same purchase or another; absent: nobody knows. */
  isParentAgain?: boolean;
  taskQueue?: string;
  summary?: string;
  memo?: Record<string, unknown>;
}

/** How a child has ended that this run has started. A failure is a result here. */
export type ChildEnd<Result> =
  | { kind: 'completed'; result: Result }
  | { kind: 'failed'; failure: StepFailure; error: unknown };

/**
 * Waits for the end of a child. Only a cancellation of its parent is thrown. Temporal tells the end to the run of the parent
 * that is current then: one that is Reset meanwhile looks whether another run was told, and waits on for a child that runs.
 * An end that is told while it looks counts.
 */
export type Ending<Result> = <Found extends { kind: string }>(
  look: () => Promise<Found>,
) => Promise<ChildEnd<Result> | { kind: 'found'; found: Found }>;

/** Starts a child; undefined where its id is in use. What is paid for goes on when the parent is terminated or Reset. */
export async function startOnce<Result>(child: Child): Promise<Ending<Result> | undefined> {
  const watch = new ResetWatch();
  try {
    const handle = await startChild<(argument: object) => Promise<Result>>(child.type, {
      workflowId: child.workflowId,
      args: [child.argument],
      workflowIdReusePolicy: child.isAnother
        ? WorkflowIdReusePolicy.ALLOW_DUPLICATE
        : WorkflowIdReusePolicy.REJECT_DUPLICATE,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      ...(child.taskQueue === undefined ? {} : { taskQueue: child.taskQueue }),
      ...(child.summary === undefined ? {} : { staticSummary: child.summary }),
      memo: { ...parentMemo(child.isParentAgain), ...child.memo },
    });
    return async (look) => {
      const result = handle.result();
      for (;;) {
        try {
          const end = await watch.until(result);
          if (end !== RESET) return { kind: 'completed', result: end };
        } catch (error) {
          if (!(error instanceof ChildWorkflowFailure) || CancellationScope.current().consideredCancelled)
            throw error;
          return { kind: 'failed', failure: stepFailure(error.cause), error };
        }
        let isTold = false;
        const told = (): void => {
          isTold = true;
        };
        result.then(told, told);
        const found = await look();
        if (found.kind !== 'running' && !isTold) return { kind: 'found', found };
      }
    };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}

/** What looks have to say of a child, whatever else they tell. */
interface Looked extends EndedBefore {
  kind: string;
}

interface Once<Found> {
  /** What there is under the child's id; with `wait`, how it has ended. */
  look: (wait: boolean) => Promise<Found>;
  /** What is started again, where there is something that has ended; undefined: it is taken as it is. */
  again: (found: Found) => Child | undefined;
  /** Called once it is sure that what runs under the id is what was asked for. */
  onRunning: () => void;
  /** Called where it was there already. */
  onThere?: () => void;
}

/** Starts a child once for its id, or takes what is there: one that runs is followed to its end. */
export async function once<Result, Found extends Looked>(
  child: Child,
  { look, again, onRunning, onThere }: Once<Found>,
): Promise<ChildEnd<Result> | Found> {
  for (let next = child; ; ) {
    const ending = await startOnce<Result>(next);
    let end: ChildEnd<Result> | undefined;
    let found: Found | undefined;
    if (ending !== undefined) {
      onRunning();
      const ended = await ending(() => look(false));
      if (ended.kind === 'found') {
        found = ended.found;
        if (found.isBefore === false) return found; // it is about to be told
      } else if (isFromOutside(ended)) end = ended;
      else return ended;
    } else onThere?.();
    found ??= await look(false);
    if (end !== undefined && found.isBefore !== true) return end;
    if (found.kind === 'running') {
      onRunning();
      return await look(true);
    }
    const another = again(found);
    if (another === undefined) return end ?? found;
    next = another;
  }
}

/** Whether a child was cancelled or terminated: such an end tells nothing of what was bought. */
export function isFromOutside(end: ChildEnd<unknown>): boolean {
  return end.kind === 'failed' && end.failure.details === null;
}
