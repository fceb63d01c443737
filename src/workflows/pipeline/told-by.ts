import type { Attempt, FailureDetails } from '../../contract/generation.ts';
import type { StepItem } from '../../contract/pipeline.ts';
import { type PaidTask, paidTasksOf } from '../../contract/purchases/told-tasks.ts';
import type { LookedAt } from '../../contract/steps/step-look.ts';

/** What a generation has paid for, as a look has found out, else as it tells itself. */
export function paidFor(found: LookedAt | undefined, item: StepItem): PaidTask[] {
  const tasks = found !== undefined && 'tasks' in found ? found.tasks : undefined;
  if (tasks !== undefined || item.status === 'SKIPPED') return tasks ?? [];
  return paidTasksOf(item.status === 'COMPLETED' ? item.result : (item.failure.details ?? {}));
}

/** What was tried, also in vain: it shows the price. */
export function attemptsOf(item: StepItem): Attempt[] {
  if (item.status === 'COMPLETED') return item.result.attempts;
  const details = item.failure.details as Partial<FailureDetails> | null; // if a generation has failed
  return details?.attempts ?? [];
}
