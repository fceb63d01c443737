import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { FileFault } from '../faults/rule.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Service } from '../service.ts';
import type { StoredOutput } from '../tasks/tasks.ts';
import { byteRange } from './byte-range.ts';

/**
 * Writes a stored file: its type, an ETag, and the byte range that is asked for.
 *
 * @param fault `wrong-type` and `truncated` have their way; the other kinds are the caller's
 */
export async function writeFile(
  service: Service,
  exchange: Exchange,
  file: StoredOutput,
  { fault, headers: more }: { fault?: FileFault; headers: Readonly<Record<string, string>> },
): Promise<void> {
  const { request, response } = exchange;
  const headers = {
    ...more,
    'content-type': fault?.kind === 'wrong-type' ? fault.contentType : file.contentType,
    etag: file.etag,
    'accept-ranges': 'bytes',
  };
  if (names(exchange.header('if-none-match'), file.etag)) {
    exchange.countAnswer(304);
    response.writeHead(304, headers).end();
    return;
  }
  const ifRange = exchange.header('if-range');
  const range =
    ifRange === undefined || ifRange === file.etag
      ? byteRange(exchange.header('range'), file.size)
      : undefined;
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

/** Whether `If-None-Match` names the tag: as one of several, as a weak one, or with `*` (RFC 9110). */
function names(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}
