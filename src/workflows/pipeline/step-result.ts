import { addUsage, NO_USAGE, type Usage } from '../../api/usage.ts';
import type { GenerationOutput } from '../../contract/generation.ts';
import type { StepItem, StepResult } from '../../contract/pipeline.ts';

export function isFannedOut(result: StepResult): result is Extract<StepResult, { items: StepItem[] }> {
  return 'items' in result;
}

/** All outputs of a step in order; through all its items where it was fanned out. */
export function outputsOf(result: StepResult): GenerationOutput[] {
  if (isFannedOut(result)) return result.items.flatMap(outputsOf);
  return result.status === 'COMPLETED' ? result.result.outputs : [];
}

/** What a step cost this pipeline; what was taken over from an earlier one cost nothing again. */
export function usageOf(result: StepResult): Usage {
  if (isFannedOut(result)) return result.items.map(usageOf).reduce(addUsage, NO_USAGE);
  if (result.status === 'COMPLETED') return result.reused === true ? NO_USAGE : result.result.usage;
  const details = result.failure.details as { usage?: Usage } | null; // FailureDetails, if a generation failed
  return details?.usage ?? NO_USAGE;
}

/** All completed: COMPLETED; none: FAILED; else PARTIAL. */
export function statusOf(results: readonly StepResult[]): 'COMPLETED' | 'PARTIAL' | 'FAILED' {
  if (results.every(({ status }) => status === 'COMPLETED')) return 'COMPLETED';
  return results.some(({ status }) => status === 'COMPLETED' || status === 'PARTIAL') ? 'PARTIAL' : 'FAILED';
}

/** @param why what is wrong with the step that this one needs, e.g. `ended as FAILED` */
export function skipped(step: string, why: string): StepItem {
  return {
    status: 'SKIPPED',
    workflowId: null,
    failure: { type: 'SKIPPED', message: `step ${step}, which this one needs, ${why}`, details: null },
  };
}
