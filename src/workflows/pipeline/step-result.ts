import { addUsage, NO_USAGE, type Usage } from '../../api/usage.ts';
import type { GenerationOutput } from '../../contract/generation.ts';
import type { StepItem, StepResult } from '../../contract/pipeline.ts';
import { itemsOf } from '../../contract/step-items.ts';

/** A step that has ended. */
export interface StepEnd {
  status: StepResult['status'];
  /** Of its generations, in their order; of a skipped step its name. */
  paths: readonly string[];
  isFannedOut: boolean;
}

/** All outputs of a step in order; through all its items where it was fanned out. */
export function outputsOf(result: StepResult): GenerationOutput[] {
  return itemsOf(result).flatMap((item) => (item.status === 'COMPLETED' ? item.result.outputs : []));
}

/** What a step cost this pipeline; what was taken over from an earlier one cost nothing again. */
export function usageOf(result: StepResult): Usage {
  return itemsOf(result)
    .map((item) => costsOf(item).usage)
    .reduce(addUsage, NO_USAGE);
}

/** What a generation cost, and what of it its last run has bought: one of release 0.1 tells no difference. */
export function costsOf(item: StepItem): { usage: Usage; charged: Usage } {
  if (item.status === 'COMPLETED') {
    if (item.reused === true) return { usage: NO_USAGE, charged: NO_USAGE };
    const { usage, charged }: { usage: Usage; charged?: Usage } = item.result;
    return { usage, charged: charged ?? usage };
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
