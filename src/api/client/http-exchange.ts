import { Agent, type Dispatcher } from 'undici';
import { TransportFailure, toTransportFailure } from './transport-failure.ts';

export interface HttpRequest {
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string>;
  body?: string;
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

/** At most so many connections to the media API, kept alive. */
export function createAgent(connections: number): Agent {
  return new Agent({
    connections,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 32_768,
  });
}

/**
 * One HTTP exchange, read whole; redirects are not followed.
 *
 * @throws TransportFailure, with `sent` telling whether the request can have reached the other side
 */
export async function exchange(agent: Dispatcher, request: HttpRequest): Promise<HttpAnswer> {
  const { url } = request;
  let started = false;
  const watched = agent.compose((dispatch) => (options, handler) => {
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
      headers: request.headers,
      body: request.body ?? null,
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
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) {
      throw new TransportFailure('too-large', 'maybe', `the answer is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
