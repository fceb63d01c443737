import { addUsage, NO_USAGE, subtractUsage, type Usage } from '../../api/records/usage.ts';
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
  const held = subtractUsage(usage, settled.map(([, cost]) => cost).reduce(addUsage, NO_USAGE));
  return [...settled, [taskId, held] as const].flatMap(([id, cost]) => (id === null ? [] : [[id, cost]]));
}

/** A task that was paid for: the end of its id, which tells the tasks of a generation apart, and credits. */
export type PaidTask = [id: string, credits: number];

/** Instead of an id: what belongs to no task that has one, such as a lost submit that turned out to be charged. */
const NAMELESS = '';
/** Of an id, so many characters. */
const KEPT = 12;

/** What a run has paid for. */
export function paidTasksOf(told: ToldTasks): PaidTask[] {
  const named = tasksOf(told).map(([id, { total }]): PaidTask => [id.slice(-KEPT), total]);
  const rest = (told.usage?.total ?? 0) - named.reduce((sum, [, credits]) => sum + credits, 0);
  return mergeTasks([named, rest > 0 ? [[NAMELESS, rest]] : []]);
}

/** Each task once, whoever tells of it, with the most that is told. */
export function mergeTasks(lists: readonly (readonly PaidTask[])[]): PaidTask[] {
  const merged = new Map<string, number>();
  for (const [id, credits] of lists.flat()) merged.set(id, Math.max(merged.get(id) ?? 0, credits));
  return [...merged].filter(([, credits]) => credits > 0);
}
