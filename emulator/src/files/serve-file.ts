import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileFault } from '../faults/rule.ts';
import { errorAnswer } from '../http/answer.ts';
import { Exchange } from '../http/exchange.ts';
import type { Service } from '../service.ts';
import { answerFile } from './answer-file.ts';
import type { ServedFile } from './files.ts';

/**
 * Any page may use the files, as with a CDN. They may hold what somebody uploaded: opened by themselves they are
 * sandboxed, so that no script in them gets at the control API, which has the same origin.
 */
const OPEN_HEADERS = {
  'cache-control': 'public, max-age=3600',
  'access-control-allow-origin': '*',
  'content-security-policy': 'sandbox',
} as const;

/** `GET /files/…`: outputs and uploads, with their type, an ETag and byte ranges. They need no key. */
export async function serveFile(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const exchange = new Exchange(request, response, 'file', service.counters);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    exchange.answer(errorAnswer(405, { code: 'METHOD_NOT_ALLOWED', message: 'Files can only be read.' }));
    return;
  }
  const served = service.files.find(path);
  if (served === undefined) {
    exchange.answer(errorAnswer(404, { code: 'NOT_FOUND', message: 'There is no such file.' }));
    return;
  }
  const fault = pickFault(service, served, path);
  if (fault?.kind === 'reset') {
    exchange.hangUp(true);
    return;
  }
  if (fault?.kind === 'expired') {
    exchange.answer(errorAnswer(fault.status, { code: 'EXPIRED', message: 'The URL has expired.' }));
    return;
  }
  if (fault?.kind === 'slow') await sleep(fault.ms, undefined, { ref: false });
  if (service.closed) return;
  await answerFile(service, exchange, served.file, { fault, headers: OPEN_HEADERS });
}

function pickFault(service: Service, { task, workspace }: ServedFile, path: string): FileFault | undefined {
  return service.faults.pick({
    on: 'file',
    workspace,
    identity: () => task?.workflow ?? path,
    ...(task === undefined
      ? {}
      : { model: task.model, prompt: task.prompt, taskId: task.id, workflow: task.workflow }),
  });
}
