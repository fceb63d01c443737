import type { QueueState } from '../../../src/api/generation-record.ts';
import type { Service } from '../service.ts';
import type { Task } from '../tasks/tasks.ts';
import { existing } from './route.ts';

export interface TaskQuery {
  workspace?: string | undefined;
  model?: string | undefined;
  workflow?: string | undefined;
  status?: QueueState | undefined;
  /** Part of an id, a prompt or a workflow id, in upper or lower case. */
  search?: string | undefined;
  /** Only tasks older than the one of this id. */
  before?: string | undefined;
  limit: number;
}

/**
 * Tasks that fit, newest first.
 *
 * @throws ControlError 404 when there is no task `before`
 */
export function findTasks({ tasks }: Service, query: TaskQuery): Task[] {
  if (query.before !== undefined) existing(tasks.get(query.before), 'task', query.before);
  const newest = tasks.all().reverse();
  const start = query.before === undefined ? 0 : newest.findIndex(({ id }) => id === query.before) + 1;
  const found: Task[] = [];
  for (let index = start; index < newest.length && found.length < query.limit; index++) {
    const task = newest[index];
    if (task !== undefined && fits(task, query)) found.push(task);
  }
  return found;
}

function fits(task: Task, query: TaskQuery): boolean {
  return (
    (query.workspace === undefined || task.workspace === query.workspace) &&
    (query.model === undefined || task.model === query.model) &&
    (query.workflow === undefined || task.workflow === query.workflow) &&
    (query.status === undefined || task.status === query.status) &&
    (query.search === undefined || mentions(task, query.search.toLowerCase()))
  );
}

function mentions({ id, prompt, workflow }: Task, text: string): boolean {
  return [id, prompt, workflow ?? ''].some((place) => place.toLowerCase().includes(text));
}
