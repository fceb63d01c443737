import { isRecord } from '../../api/json/is-record.ts';
import type { Attempt, FailureDetails } from '../generation.ts';
import type { PipelineResult, StepItem } from '../pipeline.ts';
import { itemsOf } from '../steps/step-items.ts';

/** Whether a failed run has bought nothing, by its failure's first detail; where there is none, nobody can tell. */
export function hasBoughtNothing(details: unknown): boolean {
  if (!isRecord(details)) return false;
  const { attempts, steps } = details as Partial<FailureDetails & PipelineResult>; // the contract of both workflows
  if (steps !== undefined) return Object.values(steps).flatMap(itemsOf).every(hasItemBoughtNothing);
  return attempts !== undefined && attempts.every(isRefusal);
}

function hasItemBoughtNothing(item: StepItem): boolean {
  return item.status === 'SKIPPED' || (item.status === 'FAILED' && hasBoughtNothing(item.failure.details));
}

function isRefusal({ outcome }: Attempt): boolean {
  return outcome === 'rejected';
}
