import { isRecord } from '../../api/json/is-record.ts';
import { meaningOf } from '../failures/failures.ts';
import type { Attempt, AttemptOutcome, FailureDetails } from '../generation.ts';
import type { PipelineResult, StepFailure, StepItem } from '../pipeline.ts';
import type { ToldTasks } from './told-tasks.ts';

/** How attempts end whose tasks may still come to a result, or have come to one. */
const MAY_HAVE_RESULT: ReadonlySet<AttemptOutcome> = new Set(['completed', 'overdue', 'vanished', 'unknown']);

/**
 * Whether a failed run has bought nothing, by its failure's first detail. Where that does not tell, it may have: a run that
 * was ended from outside has told no `charged`.
 */
export function hasBoughtNothing(details: unknown): boolean {
  if (!isRecord(details)) return false;
  const { attempts, charged, boughtNothing } = details as Partial<FailureDetails & PipelineResult>; // the contract of both workflows
  if (charged === undefined) return false;
  return boughtNothing ?? attempts?.every(({ outcome }) => outcome === 'rejected') ?? false;
}

/** The same of a step's generation, or of what stands in its place. */
export function hasItemBoughtNothing(item: StepItem): boolean {
  return item.status === 'SKIPPED' || (item.status === 'FAILED' && hasBoughtNothing(item.failure.details));
}

/**
 * Whether a failed generation may have left a task behind it that still comes to a result, or has come to one.
 *
 * @param which of its attempts are asked; where it tells of none, its type is
 */
export function leavesTask(
  { type, details }: Pick<StepFailure, 'type' | 'details'>,
  which: (attempts: readonly Attempt[]) => readonly Attempt[] = (all) => all,
): boolean {
  const { attempts, taskId = null } = (details ?? {}) as ToldTasks; // a generation's own, or what a look has put in their place
  if (attempts === undefined) return meaningOf(type).mayStillEnd === true;
  const isHeld = taskId !== null && attempts.every((attempt) => attempt.taskId !== taskId);
  return isHeld || which(attempts).some(({ outcome }) => MAY_HAVE_RESULT.has(outcome));
}
