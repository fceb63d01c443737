import type { StepItem, StepResult } from '../pipeline.ts';

/** The generations of a step: itself, or one for each item that it was fanned out over. */
export function itemsOf(step: StepResult): StepItem[] {
  return 'items' in step ? step.items : [step];
}
