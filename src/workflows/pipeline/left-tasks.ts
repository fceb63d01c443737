import { addUsage, NO_USAGE, subtractUsage, type Usage } from '../../api/usage.ts';
import type { LookedAt } from '../../contract/activities.ts';
import type { CountedBefore } from '../../contract/carried-pipeline.ts';
import type { FailureDetails } from '../../contract/generation.ts';
import type { StepItem } from '../../contract/pipeline.ts';

/**
 * The tasks of a generation's run that was ended from outside. Such a run has told nobody what they have cost, so the
 * next run of the generation charges itself for those that it adopts; but the pipeline had asked, and counted them.
 */
export interface LeftTasks {
  tasks: ReadonlySet<string>;
  /** When the run that left them was started, in milliseconds since the epoch. */
  startedAt: number;
}

/** What a look has found out about an end from outside; see `spentBy` of look-at-generation. */
type ToldDetails = Partial<FailureDetails> & { taskId?: string | null };

/** @returns undefined where the run has told for itself what it was charged, or where nobody knows what it had */
export function tasksLeftBy({
  failure,
  startedAt,
}: Extract<LookedAt, { kind: 'failed' }>): LeftTasks | undefined {
  const details = failure.details as ToldDetails | null;
  if (details === null || details.charged !== undefined) return undefined;
  const tasks = tasksOf(details).map(([taskId]) => taskId);
  return tasks.length === 0 ? undefined : { tasks: new Set(tasks), startedAt };
}

/** How much of what a generation is charged is for tasks that were left to it. */
export function countedBefore(item: StepItem, left: LeftTasks | undefined): CountedBefore | undefined {
  if (left === undefined) return undefined;
  const told = item.status === 'COMPLETED' ? item.result : (item.failure.details as ToldDetails | null);
  const again = tasksOf(told ?? {}).filter(([taskId]) => left.tasks.has(taskId));
  const usage = again.map(([, cost]) => cost).reduce(addUsage, NO_USAGE);
  return usage.total === 0 ? undefined : { usage, startedAt: left.startedAt };
}

/** The tasks of a run with what each has cost; the one that it held when it was ended comes last. */
function tasksOf({ attempts = [], usage = NO_USAGE, taskId = null }: ToldDetails): [string, Usage][] {
  const settled = attempts.map((attempt): [string | null, Usage] => [attempt.taskId, attempt.usage]);
  const held = subtractUsage(usage, settled.map(([, cost]) => cost).reduce(addUsage, NO_USAGE));
  return [...settled, [taskId, held] as const].flatMap(([id, cost]) => (id === null ? [] : [[id, cost]]));
}
