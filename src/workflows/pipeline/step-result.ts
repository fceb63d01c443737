import { NO_USAGE, type Usage } from '../../api/records/usage.ts';
import type { StepItem, StepResult } from '../../contract/pipeline.ts';

/** A step that has ended. */
export interface StepEnd {
  status: StepResult['status'];
  /** Of its generations, in their order; of a skipped step its name. */
  paths: readonly string[];
  isFannedOut: boolean;
}

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
