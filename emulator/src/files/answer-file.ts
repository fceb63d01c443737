import type { FileFault } from '../faults/rule.ts';
import type { Answer } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Service } from '../service.ts';
import type { StoredOutput } from '../tasks/tasks.ts';
import { byteRange } from './byte-range.ts';

/**
 * Answers with a stored file: its type, an ETag, and the byte range that is asked for.
 *
 * @param fault `wrong-type` and `truncated` have their way; the other kinds are the caller's
 */
export async function answerFile(
  { files }: Service,
  exchange: Exchange,
  file: StoredOutput,
  { fault, headers }: { fault?: FileFault | undefined; headers: Readonly<Record<string, string>> },
): Promise<void> {
  const answer = (status: number, body: Uint8Array | '', range?: string): Answer => ({
    status,
    contentType: fault?.kind === 'wrong-type' ? fault.contentType : file.contentType,
    body,
    headers: {
      ...headers,
      etag: file.etag,
      'accept-ranges': 'bytes',
      ...(range === undefined ? {} : { 'content-range': `bytes ${range}/${file.size}` }),
    },
  });
  if (names(exchange.header('if-none-match'), file.etag)) {
    exchange.answer(answer(304, ''));
    return;
  }
  // A range of another file than the one that was begun would be put together with it.
  const isWhole = (exchange.header('if-range') ?? file.etag) !== file.etag;
  const range = isWhole ? undefined : byteRange(exchange.header('range'), file.size);
  if (range === 'unsatisfiable') {
    exchange.answer(answer(416, '', '*'));
    return;
  }
  const bytes = await files.read(file);
  const found =
    range === undefined
      ? answer(200, bytes)
      : answer(206, bytes.subarray(range.start, range.end + 1), `${range.start}-${range.end}`);
  if (fault?.kind === 'truncated') exchange.breakOff(found);
  else exchange.answer(found);
}

/** Whether `If-None-Match` names the tag: as one of several, as a weak one, or with `*` (RFC 9110). */
function names(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}
