import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';

export type HttpRefusal = Readonly<
  | { status: 405; reason: 'method' }
  | { status: 415; reason: 'media type' | 'content encoding' | 'transfer encoding' }
  | { status: 413; reason: 'too large' }
>;

const METHOD: HttpRefusal = Object.freeze({ status: 405, reason: 'method' });
const MEDIA_TYPE: HttpRefusal = Object.freeze({ status: 415, reason: 'media type' });
const CONTENT_ENCODING: HttpRefusal = Object.freeze({ status: 415, reason: 'content encoding' });
const TRANSFER_ENCODING: HttpRefusal = Object.freeze({ status: 415, reason: 'transfer encoding' });
export const TOO_LARGE: HttpRefusal = Object.freeze({ status: 413, reason: 'too large' });

/**
 * Judges a request for a workspace by what comes before its body, in the order of the contract. Framing that
 * contradicts itself (two lengths, a length beside chunks, ...) does not come this far: Node's parser answers
 * it with 400.
 *
 * @param request from a server with `joinDuplicateHeaders`: Node would drop a second media type without a word
 * @returns undefined when the body may be read
 */
export function judgeRequest(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  maxBodyBytes: number,
): HttpRefusal | undefined {
  if (method !== 'POST') return METHOD;
  const mediaType = headers['content-type'];
  if (mediaType !== 'application/json' && !isJson(mediaType)) return MEDIA_TYPE;
  if (headers['content-encoding'] !== undefined) return CONTENT_ENCODING;
  const transferEncoding = headers['transfer-encoding'];
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked') {
    return TRANSFER_ENCODING;
  }
  const length = headers['content-length'];
  return length !== undefined && Number(length) > maxBodyBytes ? TOO_LARGE : undefined;
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
