/** A request as nearly every sender of webhooks makes it. */
export interface PlainRequest {
  path: string;
  /** Name-value pairs as Node has them. */
  rawHeaders: string[];
  body: Buffer;
}

const END_OF_HEAD = '\r\n\r\n';

/** Linear: no two parts can match the same character. */
const HEAD = /^POST \/[!-~]* HTTP\/1\.1\r\n(?:[\w!#$%&'*+.^`|~-]+:[\t -~]*\r\n)+$/;
const METHOD_AND_SPACE = 'POST '.length;
const VERSION_AND_END = ' HTTP/1.1\r\n'.length;

/**
 * Reads a piece of a connection's bytes, if it is exactly one whole plain request: a POST of HTTP/1.1 with one
 * `Host`, one `Content-Length` that says how many bytes follow, one `Content-Type: application/json`, nothing
 * but printable ASCII in its head, and no header that changes framing, encoding or the connection.
 *
 * @returns undefined for everything else, right or wrong: Node's own parser is there to judge it
 */
export function readPlainRequest(bytes: Buffer, maxHeadBytes: number): PlainRequest | undefined {
  const text = bytes.toString('latin1', 0, maxHeadBytes);
  const end = text.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const head = text.slice(0, end + 2);
  if (!HEAD.test(head)) return undefined;
  const bodyAt = end + END_OF_HEAD.length;
  const firstLineEnd = head.indexOf('\r\n') + 2;
  const rawHeaders = readHeaders(head, firstLineEnd, bytes.length - bodyAt);
  if (rawHeaders === undefined) return undefined;
  return {
    path: head.slice(METHOD_AND_SPACE, firstLineEnd - VERSION_AND_END),
    rawHeaders,
    body: bytes.subarray(bodyAt),
  };
}

/** Undefined when one of the headers that matter is missing, repeated, or anything but plain. */
function readHeaders(head: string, from: number, bodyBytes: number): string[] | undefined {
  const rawHeaders: string[] = [];
  let hosts = 0;
  let lengths = 0;
  let types = 0;
  for (let at = from; at < head.length; ) {
    const colon = head.indexOf(':', at);
    const end = head.indexOf('\r\n', colon);
    const name = head.slice(at, colon);
    const value = head.slice(colon + 1, end).trim();
    rawHeaders.push(name, value);
    at = end + 2;
    switch (roleOf(name)) {
      case undefined:
        break;
      case 'host':
        hosts += 1;
        break;
      case 'content-length':
        lengths += 1;
        if (value !== String(bodyBytes)) return undefined;
        break;
      case 'content-type':
        types += 1;
        if (value !== 'application/json') return undefined;
        break;
      case 'connection':
        if (value.toLowerCase() !== 'keep-alive') return undefined;
        break;
      case 'not plain':
        return undefined;
    }
  }
  return hosts === 1 && lengths === 1 && types === 1 ? rawHeaders : undefined;
}

/** The headers that this reader has to know; it hands over whatever might mean something to an HTTP server. */
function roleOf(
  name: string,
): 'host' | 'content-length' | 'content-type' | 'connection' | 'not plain' | undefined {
  // Signature headers begin with w or x, so most end here.
  const first = name.charCodeAt(0) | 0x20;
  if (first === 0x77 || first === 0x78) return undefined;
  const lower = name.toLowerCase();
  switch (lower) {
    case 'host':
    case 'content-length':
    case 'content-type':
    case 'connection':
      return lower;
    case 'content-encoding':
    case 'transfer-encoding':
    case 'te':
    case 'trailer':
    case 'expect':
    case 'upgrade':
    case 'keep-alive':
    case 'proxy-connection':
    case 'http2-settings':
      return 'not plain';
    default:
      return undefined;
  }
}
