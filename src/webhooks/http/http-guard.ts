import type { IncomingMessage } from 'node:http';

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
 * @returns undefined when the body may be read
 */
export function judgeRequest(
  { method, headers, rawHeaders }: Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>,
  maxBodyBytes: number,
): HttpRefusal | undefined {
  if (method !== 'POST') return METHOD;
  const mediaType = headers['content-type'];
  if (mediaType !== 'application/json' && !isJson(mediaType)) return MEDIA_TYPE;
  // Node keeps the first of several Content-Type headers: only the raw ones tell.
  if (isRepeated(rawHeaders, 'content-type')) return MEDIA_TYPE;
  if (headers['content-encoding'] !== undefined) return CONTENT_ENCODING;
  const transferEncoding = headers['transfer-encoding'];
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked') {
    return TRANSFER_ENCODING;
  }
  const length = headers['content-length'];
  return length !== undefined && Number(length) > maxBodyBytes ? TOO_LARGE : undefined;
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const PARAMETER = new RegExp(`[ \\t]*;[ \\t]*(${TOKEN})=(${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`, 'gy');

/** `application/json` with any parameters, but no other charset than UTF-8. */
function isJson(mediaType: string | undefined): boolean {
  if (mediaType === undefined) return false;
  const name = /^application\/json(?=[ \t;]|$)/i.exec(mediaType)?.[0];
  if (name === undefined) return false;
  let end = name.length;
  PARAMETER.lastIndex = end;
  for (let found = PARAMETER.exec(mediaType); found !== null; found = PARAMETER.exec(mediaType)) {
    const [, attribute = '', value = ''] = found;
    if (attribute.toLowerCase() === 'charset' && !/^"?utf-8"?$/i.test(value)) return false;
    end = PARAMETER.lastIndex;
  }
  return /^[ \t]*$/.test(mediaType.slice(end));
}

function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let seen = false;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i] ?? '';
    if (raw.length !== name.length || raw.toLowerCase() !== name) continue;
    if (seen) return true;
    seen = true;
  }
  return false;
}
