import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { Pieces } from '../../api/client/pieces.ts';

/** Why HTTP has something against a request to a workspace's path. */
export type HttpRefusal = Readonly<
  | { kind: 'refused'; status: 405; reason: 'method' }
  | { kind: 'refused'; status: 415; reason: 'media type' | 'content encoding' | 'transfer encoding' }
  | { kind: 'refused'; status: 413; reason: 'too large' }
  /** There is no memory for it now. */
  | { kind: 'refused'; status: 503; reason: 'too many bytes' }
>;

export type RequestRead =
  | { kind: 'read'; body: Buffer /** To be released to the budget after the answer. */; budgeted: number }
  /** The body, or the rest of it, is still on its way. */
  | HttpRefusal
  /** The sender went away. */
  | { kind: 'aborted' };

const TOO_LARGE: HttpRefusal = { kind: 'refused', status: 413, reason: 'too large' };

/** Bodies up to this size are never refused for want of memory; events are usually far smaller. */
const SMALL = 16 * 1024;

/** The memory that large bodies share. */
export class BodyBudget {
  readonly #max: number;
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  take(bytes: number): boolean {
    if (this.#used + bytes > this.#max) return false;
    this.#used += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#used -= bytes;
  }
}

/**
 * Reads a request's body, if nothing that comes before it speaks against that: up to `maxBytes`, whatever its
 * Content-Length claims. `done` is called exactly once.
 *
 * @param request from a server with `joinDuplicateHeaders`: Node would drop a second media type without a word
 * @param beforeBody called when the body may come, for a sender that waits to be told
 */
export function readRequest(
  request: IncomingMessage,
  { maxBytes, budget }: { maxBytes: number; budget: BodyBudget },
  done: (result: RequestRead) => void,
  beforeBody?: () => void,
): void {
  const refusal = judgeHead(request, maxBytes);
  if (refusal !== undefined) {
    done(refusal);
    return;
  }
  beforeBody?.();
  const pieces = new Pieces(Math.min(maxBytes, Number(request.headers['content-length'] ?? maxBytes)));
  let budgeted = 0;
  let isDone = false;

  const end = (result: RequestRead): void => {
    if (isDone) return;
    isDone = true;
    if (result.kind !== 'read') {
      request.off('data', onData);
      pieces.take();
      budget.release(budgeted);
    }
    done(result);
  };
  const onData = (chunk: Buffer): void => {
    if (pieces.size + chunk.length > maxBytes) {
      end(TOO_LARGE);
      return;
    }
    pieces.add(chunk);
    if (pieces.size > SMALL && pieces.capacity > budgeted) {
      if (!budget.take(pieces.capacity - budgeted)) {
        end({ kind: 'refused', status: 503, reason: 'too many bytes' });
        return;
      }
      budgeted = pieces.capacity;
    }
  };

  request.on('data', onData);
  request.on('end', () => {
    end({ kind: 'read', body: pieces.take(), budgeted });
  });
  request.on('close', () => end({ kind: 'aborted' }));
}

/**
 * Judges a request by what comes before its body, in the order of the contract. Framing that contradicts itself
 * (two lengths, a length beside chunks, ...) does not come this far: Node's parser answers it with 400.
 */
function judgeHead({ method, headers }: IncomingMessage, maxBytes: number): HttpRefusal | undefined {
  if (method !== 'POST') return { kind: 'refused', status: 405, reason: 'method' };
  const mediaType = headers['content-type'];
  if (mediaType !== 'application/json' && !isJson(mediaType)) {
    return { kind: 'refused', status: 415, reason: 'media type' };
  }
  if (headers['content-encoding'] !== undefined) {
    return { kind: 'refused', status: 415, reason: 'content encoding' };
  }
  const transferEncoding = headers['transfer-encoding'];
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked') {
    return { kind: 'refused', status: 415, reason: 'transfer encoding' };
  }
  const length = headers['content-length'];
  return length !== undefined && Number(length) > maxBytes ? TOO_LARGE : undefined;
}

/** `application/json` with any parameters, but no other charset than UTF-8. */
function isJson(mediaType: string | undefined): boolean {
  try {
    const { essence, params } = new MIMEType(mediaType ?? '');
    return essence === 'application/json' && /^utf-8$/i.test(params.get('charset') ?? 'utf-8');
  } catch {
    return false;
  }
}
