import { z } from 'zod';
import { GENERATION_CODES } from '../../../src/api/codes.ts';
import { QUEUE_STATES } from '../../../src/api/generation-record.ts';
import { MESSAGES, withPrefix } from '../api/refusals.ts';
import type { Service } from '../service.ts';
import { isTerminal, type Task } from '../tasks/tasks.ts';
import { findTasks } from './find-tasks.ts';
import { ControlError, existing, route } from './route.ts';
import { taskView } from './views.ts';

/** Tasks, and what can be done to them from outside. */
export const TASK_ROUTES = [
  /** Newest first; `before` is the last id of the page before, `search` a part of an id, prompt or workflow. */
  route('GET /tasks', {
    query: z.strictObject({
      workspace: z.string().optional(),
      model: z.string().optional(),
      workflow: z.string().optional(),
      status: z.enum(QUEUE_STATES).optional(),
      search: z.string().optional(),
      before: z.string().optional(),
      limit: z.coerce.number().int().min(1).max(10_000).default(100),
    }),
    handle: ({ service, query }) => findTasks(service, query).map((task) => taskView(service, task)),
  }),
  route('GET /tasks/:id', {
    handle: ({ service, params: { id } }) => taskView(service, taskOf(service, id)),
  }),
  route('POST /tasks/:id/start', {
    handle: ({ service, params: { id } }) =>
      forced(service, id, (task) => service.scheduler.force(task, task.fate, { start: Date.now() })),
  }),
  /** Completes as soon as its files are rendered. */
  route('POST /tasks/:id/finish', {
    handle: ({ service, params: { id } }) =>
      forced(service, id, (task) => {
        const now = Date.now();
        service.scheduler.force(task, { kind: 'complete' }, { start: now, finish: now });
      }),
  }),
  route('POST /tasks/:id/fail', {
    body: z.strictObject({
      code: z.enum(GENERATION_CODES).default('FAILED'),
      message: z.string().optional(),
    }),
    handle: ({ service, params: { id }, body }) =>
      forced(service, id, (task) => {
        service.scheduler.drop(task);
        const family = service.models.get(task.model)?.model.family ?? 'image';
        service.lifecycle.fail(task, withPrefix(body.code, family), body.message ?? MESSAGES[body.code]);
      }),
  }),
  route('POST /tasks/:id/cancel', {
    handle: ({ service, params: { id } }) =>
      forced(service, id, (task) => {
        service.scheduler.drop(task);
        service.lifecycle.cancel(task);
      }),
  }),
  /** Stays as it is from now on. */
  route('POST /tasks/:id/hang', {
    handle: ({ service, params: { id } }) =>
      forced(service, id, (task) => service.scheduler.force(task, { kind: 'hang' })),
  }),
  /** GET answers 404 from now on, also for a finished one. */
  route('POST /tasks/:id/vanish', {
    handle: ({ service, params: { id } }) => {
      const task = taskOf(service, id);
      service.scheduler.drop(task);
      service.lifecycle.vanish(task);
      return taskView(service, task);
    },
  }),
];

function taskOf(service: Service, id: string | undefined): Task {
  return existing(service.tasks.get(id ?? ''), 'task', id);
}

function forced(service: Service, id: string | undefined, act: (task: Task) => void): object {
  const task = taskOf(service, id);
  if (isTerminal(task)) throw new ControlError(409, `The task is ${task.status} and stays so`);
  act(task);
  return taskView(service, task);
}
