import { z } from 'zod';
import { GENERATION_CODES } from '../../../src/api/codes.ts';
import { MESSAGES, withPrefix } from '../api/refusals.ts';
import type { Service } from '../service.ts';
import { isTerminal, type Task } from '../tasks/tasks.ts';
import { findTasks, taskQuery } from './find-tasks.ts';
import { ControlError, existing, route } from './route.ts';
import { taskView } from './views.ts';

const failure = z.strictObject({
  code: z.enum(GENERATION_CODES).default('FAILED'),
  message: z.string().optional(),
});

/** Tasks, and what can be done to them from outside. */
export const TASK_ROUTES = [
  route('GET /tasks', { query: taskQuery }, ({ service, query }) =>
    findTasks(service, query).map((task) => taskView(service, task)),
  ),
  route('GET /tasks/:id', {}, ({ service, params }) => taskView(service, taskOf(service, params.id))),
  route('POST /tasks/:id/start', {}, ({ service, params }) =>
    forced(service, params.id, (task) => service.scheduler.force(task, task.fate, { start: Date.now() })),
  ),
  /** Completes as soon as its files are rendered. */
  route('POST /tasks/:id/finish', {}, ({ service, params }) =>
    forced(service, params.id, (task) => {
      const now = Date.now();
      service.scheduler.force(task, { kind: 'complete' }, { start: now, finish: now });
    }),
  ),
  route('POST /tasks/:id/fail', { body: failure }, ({ service, params, body: { code, message } }) =>
    forced(service, params.id, (task) => {
      service.scheduler.drop(task);
      const family = service.models.get(task.model)?.model.family ?? 'image';
      service.lifecycle.fail(task, withPrefix(code, family), message ?? MESSAGES[code]);
    }),
  ),
  route('POST /tasks/:id/cancel', {}, ({ service, params }) =>
    forced(service, params.id, (task) => {
      service.scheduler.drop(task);
      service.lifecycle.cancel(task);
    }),
  ),
  /** Stays as it is from now on. */
  route('POST /tasks/:id/hang', {}, ({ service, params }) =>
    forced(service, params.id, (task) => service.scheduler.force(task, { kind: 'hang' })),
  ),
  /** GET answers 404 from now on, also for a finished one. */
  route('POST /tasks/:id/vanish', {}, ({ service, params }) => {
    const task = taskOf(service, params.id);
    service.scheduler.drop(task);
    service.lifecycle.vanish(task);
    return taskView(service, task);
  }),
];

function taskOf({ tasks }: Service, id: string): Task {
  return existing(tasks.get(id), 'task', id);
}

function forced(service: Service, id: string, act: (task: Task) => void) {
  const task = taskOf(service, id);
  if (isTerminal(task)) throw new ControlError(409, `The task is ${task.status} and stays so`);
  act(task);
  return taskView(service, task);
}
