import { NO_USAGE, subtractUsage, type Usage } from '../../api/records/usage.ts';
import { cut } from '../../api/text/cut.ts';
import type { OwnFailureType } from '../failures/failures.ts';
import type { FailureDetails } from '../generation.ts';
import type { StepItem, StepResult } from '../pipeline.ts';
import type { StepEnd, Tried } from './carried-pipeline.ts';
import type { Reusable } from './step-look.ts';

/** What a generation cost this pipeline, and what of it its last run bought; what was taken over costs nothing again. */
export function costsOf(item: StepItem): { usage: Usage; charged: Usage } {
  if (item.status === 'COMPLETED') {
    if (item.reused === true) return { usage: NO_USAGE, charged: NO_USAGE };
    const { usage, charged } = item.result;
    return { usage, charged };
  }
  const details = item.failure.details as { usage?: Usage; charged?: Usage } | null; // FailureDetails, if a generation failed
  const { usage = NO_USAGE, charged = usage } = details ?? {};
  return { usage, charged };
}

/**
 * Of a generation's last try, beside what those before it have cost: what it has adopted of them is counted there. With
 * another input it has another name, and what it adopts is not theirs.
 */
export function ownCosts(
  { item, countedBefore = NO_USAGE }: StepEnd,
  before: Tried | undefined,
): { usage: Usage; charged: Usage } {
  const costs = costsOf(item);
  if (before?.workflowId !== item.workflowId) return costs;
  const own = subtractUsage(costs.charged, countedBefore);
  return { usage: own, charged: own };
}

/** All completed: COMPLETED; none: FAILED; else PARTIAL. */
export function statusOf(results: readonly StepResult[]): 'COMPLETED' | 'PARTIAL' | 'FAILED' {
  if (results.every(({ status }) => status === 'COMPLETED')) return 'COMPLETED';
  return results.some(({ status }) => status === 'COMPLETED' || status === 'PARTIAL') ? 'PARTIAL' : 'FAILED';
}

/** @param why what is wrong with the step that this one needs, e.g. `ended as FAILED` */
export function skipped(step: string, why: string): StepItem {
  return skippedBecause(`step ${step}, which this one needs, ${why}`);
}

export function skippedBecause(message: string): StepItem {
  return { status: 'SKIPPED', workflowId: null, failure: { type: 'SKIPPED', message, details: null } };
}

/** What is wrong with a step that has no outputs. */
export function whyUnusable(status: StepResult['status']): string {
  return status === 'COMPLETED' ? 'has no outputs' : `ended as ${status}`;
}

/** A step that failed before anything was bought for it. */
export function failedBefore(workflowId: string, why: { type: OwnFailureType; message: string }): StepItem {
  const details: FailureDetails = { attempts: [], usage: NO_USAGE, charged: NO_USAGE };
  return { status: 'FAILED', workflowId, failure: { ...why, details } };
}

/** Its workflow id belongs to a generation of something else that runs. */
export function inUse(workflowId: string): StepItem {
  const message = `${workflowId} runs already with another model or input: let it end, cancel it, or give the pipeline another id`;
  return failedBefore(workflowId, { type: 'INVALID_REQUEST', message });
}

/** What it would buy the pipeline to reuse may have bought. */
export function unusable(workflowId: string, message: string): StepItem {
  return failedBefore(workflowId, { type: 'INVALID_REQUEST', message });
}

/** The task of an earlier pipeline's generation may be paid and still end: another one is not bought for it. */
export function mayStillEnd({ workflowId, type }: Extract<Reusable, { kind: 'ended' }>): StepItem {
  const how = type === undefined ? 'was ended from outside' : `ended as ${type}`;
  const message = `${workflowId} ${how}, and a task that it has bought may still complete: rerun ${workflowId}, which takes that over, and then reset this pipeline; with another input the step is bought`;
  return failedBefore(workflowId, { type: 'TASK_OVERDUE', message });
}

/** Characters of the line that says why a step is not completed. */
const LONGEST_CAUSE = 200;

/** Why the first of some generations that is not completed is not; undefined where all are. */
export function whyNot(items: readonly StepItem[]): string | undefined {
  const first =
    items.find(({ status }) => status === 'FAILED') ?? items.find(({ status }) => status === 'SKIPPED');
  if (first === undefined || first.status === 'COMPLETED') return undefined;
  const { type, message } = first.failure;
  return cut(first.status === 'SKIPPED' ? message : `${type}: ${message}`, LONGEST_CAUSE);
}
