import {
  noSignatureHeaders,
  SIGNATURE_FIELDS,
  type SignatureHeaders,
} from '../signature/signature-headers.ts';

/** A request as nearly every sender of webhooks makes it. */
export interface PlainRequest {
  path: string;
  signatureHeaders: SignatureHeaders;
  body: Buffer;
}

/**
 * A whole head: what is printable, in lines that end as they should. Linear: no two of its parts can match the
 * same character.
 */
const HEAD = /POST \/[!-~]* HTTP\/1\.1\r\n(?:[\w!#$%&'*+.^`|~-]+:[\t -~]*\r\n)+\r\n/y;
const METHOD_AND_SPACE = 'POST '.length;
const VERSION_AND_END = ' HTTP/1.1\r\n'.length;

/**
 * Reads a piece of a connection's bytes, if it is exactly one whole plain request: a POST of HTTP/1.1 with one
 * `Host`, one `Content-Length` that says how many bytes follow, one `Content-Type: application/json`, nothing
 * but printable ASCII in its head, no signature header twice, and no header that changes framing, encoding or
 * the connection.
 *
 * @returns undefined for everything else, right or wrong: Node's own parser is there to judge it
 */
export function readPlainRequest(bytes: Buffer, maxHeadBytes: number): PlainRequest | undefined {
  const text = bytes.toString('latin1', 0, maxHeadBytes);
  HEAD.lastIndex = 0;
  if (!HEAD.test(text)) return undefined;
  const bodyAt = HEAD.lastIndex;
  const firstLineEnd = text.indexOf('\r\n') + 2;
  const signatureHeaders = readHeaders(text, firstLineEnd, bodyAt - 2, bytes.length - bodyAt);
  if (signatureHeaders === undefined) return undefined;
  return {
    path: text.slice(METHOD_AND_SPACE, firstLineEnd - VERSION_AND_END),
    signatureHeaders,
    body: bytes.subarray(bodyAt),
  };
}

/** Undefined when one of the headers that matter is missing, repeated, or anything but plain. */
function readHeaders(
  text: string,
  from: number,
  to: number,
  bodyBytes: number,
): SignatureHeaders | undefined {
  const headers = noSignatureHeaders();
  let hosts = 0;
  let lengths = 0;
  let types = 0;
  for (let at = from; at < to; ) {
    const end = text.indexOf('\r\n', at);
    // Most headers begin with none of the letters that matter.
    if (MATTERING[text.charCodeAt(at) & 0x1f] === 1) {
      const colon = text.indexOf(':', at);
      const name = text.slice(at, colon);
      const value = text.slice(colon + 1, end).trim();
      const part = PARTS.get(name) ?? PARTS.get(name.toLowerCase());
      switch (part) {
        case undefined:
          break;
        case 'host':
          hosts += 1;
          break;
        case 'length':
          lengths += 1;
          if (value !== String(bodyBytes)) return undefined;
          break;
        case 'content':
          types += 1;
          if (value !== 'application/json') return undefined;
          break;
        case 'connection':
          if (value.toLowerCase() !== 'keep-alive') return undefined;
          break;
        case 'changing':
          return undefined;
        case 'id':
        case 'timestamp':
        case 'signature':
        case 'legacySignature':
        case 'legacyTimestamp':
        case 'legacyId':
        case 'eventType':
          if (headers[part] !== undefined) return undefined;
          headers[part] = value;
      }
    }
    at = end + 2;
  }
  return hosts === 1 && lengths === 1 && types === 1 ? headers : undefined;
}

/** What a header is to a plain request; `changing`: it might change framing, encoding or the connection. */
type Part = keyof SignatureHeaders | 'host' | 'length' | 'content' | 'connection' | 'changing';

/** By name, spelled in small letters and as most senders do, so that hardly any has to be turned into small ones. */
const PARTS: ReadonlyMap<string, Part> = new Map(
  (
    [
      ...SIGNATURE_FIELDS,
      ['host', 'host'],
      ['content-length', 'length'],
      ['content-type', 'content'],
      ['connection', 'connection'],
      ['content-encoding', 'changing'],
      ['transfer-encoding', 'changing'],
      ['te', 'changing'],
      ['trailer', 'changing'],
      ['expect', 'changing'],
      ['upgrade', 'changing'],
      ['keep-alive', 'changing'],
      ['proxy-connection', 'changing'],
      ['http2-settings', 'changing'],
    ] satisfies [string, Part][]
  ).flatMap(([name, part]): [string, Part][] => [
    [name, part],
    [name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()), part],
  ]),
);

/** 1 where the name of a header that matters begins with a letter; by its place in the alphabet, as for capitals. */
const MATTERING = new Uint8Array(32);
for (const name of PARTS.keys()) MATTERING[name.charCodeAt(0) & 0x1f] = 1;
