import { GET_CODES } from '../../../src/api/codes.ts';
import type { ApiKey } from '../accounts/accounts.ts';
import { answerWithFault } from '../faults/answer-with-fault.ts';
import { type Answer, errorAnswer, json } from '../http/answer.ts';
import { decoded } from '../http/decoded.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Service } from '../service.ts';
import { taskRecord } from '../tasks/task-record.ts';
import type { Task } from '../tasks/tasks.ts';
import { refuseGet } from './refusals.ts';

/**
 * `GET generation/{id}`, with exactly the statuses of the API specification: 400 an id that cannot be decoded, 403
 * a task of a workspace that the key may not use, 404 no such task, 422 an id that is none.
 *
 * @param encodedId the path's last segment, still percent-encoded
 */
export async function getGeneration(
  service: Service,
  exchange: Exchange,
  key: ApiKey,
  encodedId: string,
): Promise<void> {
  const id = decoded(encodedId);
  if (id === undefined) {
    exchange.answer(refuseGet(400, 'The generation id cannot be decoded.'));
    return;
  }
  const task = service.tasks.get(id);
  if (task !== undefined) task.gets += 1; // also those that a fault strikes
  const fault = service.faults.pick({
    on: 'get',
    workspace: task?.workspace ?? key.workspace,
    identity: () => task?.workflow ?? id,
    taskId: id,
    ...(task === undefined ? {} : { model: task.model, prompt: task.prompt, workflow: task.workflow }),
  });
  await answerWithFault(fault, {
    exchange,
    perform: () => recordAnswer(service, key, id, task),
    closed: () => service.closed,
    refuse: ({ code, status = statusOf(code), message = 'Refused by a fault rule.' }) =>
      errorAnswer(status, { code, message }),
  });
}

function recordAnswer(service: Service, key: ApiKey, id: string, task: Task | undefined): Answer {
  if (!new RegExp(service.assumptions.taskIdShape).test(id))
    return refuseGet(422, 'The generation id is not valid.');
  if (task === undefined || task.vanished) return refuseGet(404, 'The generation was not found.');
  if (!service.accounts.mayUse(key, task.workspace)) {
    return refuseGet(403, 'This API key has no access to the generation.');
  }
  return json(200, taskRecord(task, service));
}

/** The first status that the specification gives the code; 500 for a code that GET does not have. */
function statusOf(code: string): number {
  const [status] = Object.entries(GET_CODES).find(([, known]) => known === code) ?? [500];
  return Number(status);
}
