import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileFault } from '../faults/rule.ts';
import type { ServedFile } from '../files.ts';
import { errorAnswer } from '../http/answer.ts';
import { byteRange } from '../http/byte-range.ts';
import { Exchange } from '../http/exchange.ts';
import type { Service } from '../service.ts';

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
  await writeFile(service, exchange, served, fault);
}

async function writeFile(
  service: Service,
  exchange: Exchange,
  { file }: ServedFile,
  fault: FileFault | undefined,
): Promise<void> {
  const { request, response } = exchange;
  const headers = {
    'content-type': fault?.kind === 'wrong-type' ? fault.contentType : file.contentType,
    etag: file.etag,
    'accept-ranges': 'bytes',
    'cache-control': 'public, max-age=3600',
    'access-control-allow-origin': '*',
  };
  if (exchange.header('if-none-match') === file.etag) {
    exchange.countAnswer(304);
    response.writeHead(304, headers).end();
    return;
  }
  const range = byteRange(exchange.header('range'), file.size);
  if (range === 'unsatisfiable') {
    exchange.countAnswer(416);
    response.writeHead(416, { ...headers, 'content-range': `bytes */${file.size}` }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const length = end - start + 1;
  const status = range === undefined ? 200 : 206;
  exchange.countAnswer(status);
  response.writeHead(status, {
    ...headers,
    'content-length': length,
    ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${file.size}` }),
  });
  if (request.method === 'HEAD' || length === 0) {
    response.end();
    return;
  }
  const truncated = fault?.kind === 'truncated';
  const last = truncated ? start + Math.floor(length / 2) : end;
  const path = await service.files.pathOf(file);
  if (path === undefined || truncated) {
    const bytes = (await service.files.read(file)).subarray(start, last + 1);
    if (truncated) response.write(bytes, () => response.destroy());
    else response.end(bytes);
    return;
  }
  await pipeline(createReadStream(path, { start, end }), response).catch(() => response.destroy());
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
