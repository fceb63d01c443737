import { NO_USAGE, subtractUsage, type Usage, usageOf } from '../../api/records/usage.ts';
import type { Attempt } from '../generation.ts';

/** What a generation tells of what it has bought: in its result, its failure's details, or its last progress. */
export interface ToldTasks {
  attempts?: readonly Attempt[];
  /** All of them together, with the task that it held when it was ended from outside. */
  usage?: Usage;
  taskId?: string | null;
}

/** The tasks of a run with what each has cost; the one that it held when it was ended comes last. */
export function tasksOf({ attempts = [], usage = NO_USAGE, taskId = null }: ToldTasks): [string, Usage][] {
  const settled = attempts.map((attempt): [string | null, Usage] => [attempt.taskId, attempt.usage]);
  const held = subtractUsage(usage, usageOf(attempts));
  return [...settled, [taskId, held] as const].flatMap(([id, cost]) => (id === null ? [] : [[id, cost]]));
}
