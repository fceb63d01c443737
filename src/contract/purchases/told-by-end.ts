import { addUsage, NO_USAGE } from '../../api/records/usage.ts';
import type { FailureDetails } from '../generation.ts';
import type { StepFailure, StepItem } from '../pipeline.ts';
import type { CountedBefore, LeftTasks } from '../steps/carried-pipeline.ts';
import type { LookedAt } from '../steps/step-look.ts';
import { tasksOf } from './told-tasks.ts';

/** What a look has found out about an end from outside; see `spentBy` of outcome-of. */
type ToldDetails = Partial<FailureDetails> & { taskId?: string | null };

/** @returns undefined where the run has told for itself what it was charged, or where nobody knows what it had */
export function tasksLeftBy({
  failure,
  startedAt,
}: Extract<LookedAt, { kind: 'failed' }>): LeftTasks | undefined {
  const details = toldBy(failure);
  if (details === null || details.charged !== undefined) return undefined;
  const tasks = tasksOf(details).map(([taskId]) => taskId);
  return tasks.length === 0 ? undefined : { tasks, startedAt };
}

/** How much of what a generation is charged is for tasks that were left to it. */
export function countedBefore(item: StepItem, left: LeftTasks | undefined): CountedBefore | undefined {
  if (left === undefined) return undefined;
  const told = item.status === 'COMPLETED' ? item.result : toldBy(item.failure);
  const again = tasksOf(told ?? {}).filter(([taskId]) => left.tasks.includes(taskId));
  const usage = again.map(([, cost]) => cost).reduce(addUsage, NO_USAGE);
  // What somebody has been told otherwise, by a run of its own, is not charged at all.
  const isCharged = told?.charged === undefined || told.charged.total >= usage.total;
  return usage.total === 0 || !isCharged ? undefined : { usage, startedAt: left.startedAt };
}

function toldBy({ details }: StepFailure): ToldDetails | null {
  return details as ToldDetails | null; // a generation's first detail, or what a look has put in its place
}
