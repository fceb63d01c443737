import { isRecord } from '../../api/json/is-record.ts';
import { meaningOf } from '../failures/failures.ts';
import type { Attempt, FailureDetails } from '../generation.ts';
import type { PipelineResult, StepFailure, StepItem } from '../pipeline.ts';
import { itemsOf } from '../steps/step-items.ts';

/** Whether a failed run has bought nothing, by its failure's first detail; where there is none, nobody can tell. */
export function hasBoughtNothing(details: unknown): boolean {
  if (!isRecord(details)) return false;
  const { attempts, steps } = details as Partial<FailureDetails & PipelineResult>; // the contract of both workflows
  if (steps !== undefined) return Object.values(steps).flatMap(itemsOf).every(hasItemBoughtNothing);
  return attempts !== undefined && attempts.every(isRefusal);
}

/** Whether a failed run may have left a task behind it that still comes to a result, or has come to one. */
export function leavesTask({ type, details }: Pick<StepFailure, 'type' | 'details'>): boolean {
  return meaningOf(type).mayStillEnd === true && !hasBoughtNothing(details);
}

function hasItemBoughtNothing(item: StepItem): boolean {
  return item.status === 'SKIPPED' || (item.status === 'FAILED' && hasBoughtNothing(item.failure.details));
}

function isRefusal({ outcome }: Attempt): boolean {
  return outcome === 'rejected';
}
