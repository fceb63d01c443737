import { type Usage, usageOf } from '../../api/records/usage.ts';
import type { FailureDetails } from '../generation.ts';
import type { StepItem } from '../pipeline.ts';
import type { Tried } from '../steps/carried-pipeline.ts';
import { tasksOf } from './told-tasks.ts';

/** What a look has found out about an end from outside; see `spentBy` of outcome-of. */
type ToldDetails = Partial<FailureDetails> & { taskId?: string | null };

/** The tasks of a generation that has not told for itself what it was charged: it was asked what each has cost. */
export function askedOf(item: StepItem): [taskId: string, cost: Usage][] {
  const told = item.status === 'FAILED' ? toldBy(item) : null;
  return told === null || told.charged !== undefined ? [] : tasksOf(told);
}

/** How much of what a generation is charged is for tasks that were counted with a try before it. */
export function countedBefore(item: StepItem, before: Tried | undefined): Usage | undefined {
  const { asked = [] } = before?.workflowId === item.workflowId ? before : {};
  const told = item.status === 'COMPLETED' ? item.result : toldBy(item);
  const again = tasksOf(told ?? {}).filter(([taskId]) => asked.includes(taskId));
  const usage = usageOf(again.map(([, cost]) => ({ usage: cost })));
  // What somebody has been told otherwise, by a run of its own, is not charged at all.
  const isCharged = told?.charged === undefined || told.charged.total >= usage.total;
  return usage.total === 0 || !isCharged ? undefined : usage;
}

function toldBy({ failure }: Exclude<StepItem, { status: 'COMPLETED' }>): ToldDetails | null {
  return failure.details as ToldDetails | null; // a generation's first detail, or what a look has put in its place
}
