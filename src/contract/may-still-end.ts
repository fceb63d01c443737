import type { PipelineResult, StepItem } from './pipeline.ts';
import { itemsOf } from './step-items.ts';

/** Failures of a step whose task may still come to a result: a Reset looks for it, a rerun would buy another one. */
const MAY_STILL_END: ReadonlySet<string> = new Set([
  'TASK_OVERDUE',
  'TASK_VANISHED',
  'SUBMISSION_UNKNOWN',
  'OUTPUT_UNAVAILABLE',
  // A step's generation that was ended from outside.
  'CancelledFailure',
  'TerminatedFailure',
  'TimeoutFailure',
]);

/** A pipeline that was ended from outside: its tasks go on. */
const ENDED_FROM_OUTSIDE: ReadonlySet<string> = new Set(['CANCELLED', 'TERMINATED', 'TIMED_OUT']);

type FailedItem = Extract<StepItem, { status: 'FAILED' }>;

export function failedItems(steps: PipelineResult['steps']): FailedItem[] {
  return Object.values(steps)
    .flatMap(itemsOf)
    .filter((item) => item.status === 'FAILED');
}

/** The generations of a failed pipeline whose task may still come to a result. */
export function itemsThatMayStillEnd(steps: PipelineResult['steps']): FailedItem[] {
  return failedItems(steps).filter(({ failure }) => MAY_STILL_END.has(failure.type));
}

/**
 * Whether a failed pipeline may have a task that still comes to a result. Only a Reset takes that one over: a rerun is
 * another pipeline, which would buy it again.
 *
 * @param type the failure's
 * @param steps of the result, as far as there is one
 */
export function mayStillEnd(type: string, steps: PipelineResult['steps'] = {}): boolean {
  return ENDED_FROM_OUTSIDE.has(type) || itemsThatMayStillEnd(steps).length > 0;
}
