import { z } from 'zod';
import { QUEUE_STATES } from '../../../src/api/records/generation-record.ts';
import type { Service } from '../service.ts';
import type { Task } from '../tasks/tasks.ts';
import { existing } from './route.ts';

export const taskQuery = z.strictObject({
  workspace: z.string().optional(),
  model: z.string().optional(),
  workflow: z.string().optional(),
  status: z.enum(QUEUE_STATES).optional(),
  /** Part of an id, a prompt or a workflow id, in upper or lower case. */
  search: z.string().toLowerCase().default(''),
  /** Only tasks older than the one of this id: the last one of the page before. */
  before: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(100),
});

type TaskQuery = z.output<typeof taskQuery>;

/**
 * Tasks that fit, newest first.
 *
 * @throws ControlError 404 when there is no task `before`
 */
export function findTasks({ tasks }: Service, query: TaskQuery): Task[] {
  const { before, limit } = query;
  if (before !== undefined) existing(tasks.get(before), 'task', before);
  const newest = tasks.all().reverse();
  const start = before === undefined ? 0 : newest.findIndex(({ id }) => id === before) + 1;
  const found: Task[] = [];
  for (const task of newest.slice(start)) {
    if (found.length === limit) break;
    if (fits(task, query)) found.push(task);
  }
  return found;
}

function fits(task: Task, { search, ...query }: TaskQuery): boolean {
  return (
    (query.workspace ?? task.workspace) === task.workspace &&
    (query.model ?? task.model) === task.model &&
    (query.workflow ?? task.workflow) === task.workflow &&
    (query.status ?? task.status) === task.status &&
    [task.id, task.prompt, task.workflow ?? ''].some((place) => place.toLowerCase().includes(search))
  );
}
