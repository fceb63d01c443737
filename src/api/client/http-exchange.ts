import { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { FormBody } from './form-body.ts';
import { gatherPieces } from './gather-pieces.ts';
import { Pieces } from './pieces.ts';
import { TransportFailure, toTransportFailure } from './transport-failure.ts';

export interface HttpRequest {
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string>;
  body?: string | FormBody;
  /** Milliseconds for the whole exchange, connecting included. */
  timeout: number;
  /** The answer's size limit in bytes. */
  maxBytes: number;
}

export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}

/** How long a connection may be idle and still be used again, in milliseconds. */
export const IDLE = {
  /** A read that meets a closed connection is done again and costs nothing. */
  reads: 30_000,
  /**
   * A service closes what has idled (Node's servers after 5 s, some balancers sooner), and a submit that is written at
   * that moment ends unknown although nobody has read it: then a person is asked.
   */
  submits: 1_000,
} as const;

/**
 * At most so many connections to the media API, kept alive.
 *
 * @param idle for how long, in milliseconds, even where the service promises more
 */
export function createAgent(connections: number, idle: number): Agent {
  return new Agent({
    connections,
    pipelining: 1,
    keepAliveTimeout: idle,
    keepAliveMaxTimeout: idle,
    maxHeaderSize: 32_768,
  });
}

/**
 * One HTTP exchange, read whole; redirects are not followed.
 *
 * @throws TransportFailure, with `sent` telling whether the request can have reached the other side
 */
export async function exchange(agent: Dispatcher, request: HttpRequest): Promise<HttpAnswer> {
  const { url, body } = request;
  let started = false;
  const watched = agent.compose(gatherPieces, (dispatch) => (options, handler) => {
    // undici calls this when the request is about to be written on an open connection: until then nothing
    // has left this process.
    const onRequestStart: Dispatcher.DispatchHandler['onRequestStart'] = (controller, context) => {
      started = true;
      handler.onRequestStart?.(controller, context);
    };
    return dispatch(options, forward(handler, onRequestStart));
  });
  // No `AbortSignal.timeout`: with a listener it keeps all that asked, an activity say, until the time is up.
  const late = new AbortController();
  const isLate = (): void => late.abort(new DOMException('the time is up', 'TimeoutError'));
  const timer = setTimeout(isLate, request.timeout);
  const exchanged = watched
    .request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.method,
      headers: { ...request.headers, ...(body instanceof FormBody ? body.headers : {}) },
      body: body instanceof FormBody ? Readable.from(body.pieces()) : (body ?? null),
      signal: late.signal,
      headersTimeout: request.timeout,
      bodyTimeout: request.timeout,
    })
    .then(async ({ statusCode, headers, body }) => ({
      status: statusCode,
      headers,
      text: await readText(body, request.maxBytes),
    }));
  try {
    return await Promise.race([exchanged, whenAborted(late.signal)]);
  } catch (error) {
    if (late.signal.aborted) {
      const kind = started ? 'timeout' : 'connect-timeout';
      const what = started ? 'no answer' : 'no connection';
      throw new TransportFailure(
        kind,
        started ? 'maybe' : 'no',
        `cannot talk to ${url.origin}: ${what} within ${request.timeout} ms`,
        error,
      );
    }
    throw toTransportFailure(error, url.origin, started);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Rejects when the time is up. undici itself tells of an abort only once the connection attempt has ended; the
 * request it holds is then dropped before a byte of it is written.
 */
function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** The same handler with another `onRequestStart`; its methods need their own `this`. No request asks for an upgrade. */
function forward(
  handler: Dispatcher.DispatchHandler,
  onRequestStart: NonNullable<Dispatcher.DispatchHandler['onRequestStart']>,
): Dispatcher.DispatchHandler {
  return {
    onRequestStart,
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args),
  };
}

async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const pieces = new Pieces(maxBytes);
  for await (const piece of body) {
    if (pieces.size + piece.byteLength > maxBytes) {
      throw new TransportFailure('too-large', 'maybe', `the answer is larger than ${maxBytes} bytes`);
    }
    pieces.add(piece);
  }
  return pieces.take().toString('utf8');
}
