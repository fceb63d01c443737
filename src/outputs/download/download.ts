import { Client, type Dispatcher } from 'undici';
import { gatherPieces } from '../../api/client/gather-pieces.ts';
import { parseRetryAfter } from '../../api/client/retry-after.ts';
import { toTransportFailure } from '../../api/client/transport-failure.ts';
import { MIN_RATE, STORE_LIMITS } from '../limits.ts';
import { OutputDelayed, OutputError, OutputGone, OutputTooLarge } from '../output-errors.ts';
import { isDataUri, openDataUri } from './data-uri.ts';
import { decodeBody } from './decode-body.ts';
import { checkTarget, shownUrl } from './download-target.ts';
import { guardedLookup, type ResolveAll } from './guarded-lookup.ts';
import { isPublicAddress } from './public-address.ts';

/** Where outputs may be fetched from. */
export interface DownloadRules {
  /** Switches the address check off (`DARKROOM_PRIVATE_OUTPUTS=allow`). */
  allowPrivate: boolean;
  /** Which addresses count as public; for networks, and tests, that know better than the registries. */
  isPublic?: (address: string) => boolean;
  /** Replaces the system's name resolution. */
  resolve?: ResolveAll;
}

/** Times in milliseconds. */
export interface DownloadOptions {
  /** For the whole download; 1 hour unless given. */
  timeout?: number;
  /** Longest silence before the headers and between two chunks; 30 s unless given. */
  idleTimeout?: number;
  /** Of this file; `STORE_LIMITS.fileBytes` unless given. */
  maxBytes?: number;
  /** Called with the bytes of each piece as it is decoded; what it throws ends the download. */
  onBytes?: (bytes: number) => void;
  /** Ends the download; its reason is thrown. */
  signal?: AbortSignal;
  /** Called for each chunk with the bytes received so far. */
  onProgress?: (bytes: number) => void;
}

export interface Download {
  /** As the server says, without parameters, in lower case. */
  contentType: string | null;
  contentLength: number | null;
  /** Whether HTTP tells where the body ends. Where it does not, a truncated body looks like a whole one. */
  endMarked: boolean;
  /** To be read once. Throws OutputDelayed when it is cut off, shorter than announced or stalls. */
  body: AsyncIterable<Uint8Array>;
  /** Closes the connection; needed when the body is not read to its end. */
  close(): Promise<void>;
}

const DOWNLOAD_DEFAULTS = { timeout: 3_600_000, idleTimeout: 30_000, maxBytes: STORE_LIMITS.fileBytes };
const CONNECT_TIMEOUT = 10_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Opens an output's URL, `http:`, `https:` or `data:`. Every address on the way is checked, those of redirects too; up
 * to five redirects are followed. The connection serves this one download.
 *
 * @throws OutputRefused by the guard or the size limit; OutputGone for 410; OutputDelayed for everything that may
 *   pass; the signal's reason when it was aborted
 */
export async function download(
  url: string,
  rules: DownloadRules,
  options: DownloadOptions = {},
): Promise<Download> {
  if (isDataUri(url)) return await openDataUri(url, options);
  const allowed = rules.allowPrivate ? () => true : (rules.isPublic ?? isPublicAddress);
  const timer = AbortSignal.timeout(options.timeout ?? DOWNLOAD_DEFAULTS.timeout);
  const signal = options.signal === undefined ? timer : AbortSignal.any([options.signal, timer]);
  const idle = options.idleTimeout ?? DOWNLOAD_DEFAULTS.idleTimeout;
  let target = checkTarget(url, undefined, allowed);
  for (let redirects = 0; ; redirects += 1) {
    const at = target;
    const client = new Client(at.origin, {
      connect: { timeout: Math.min(CONNECT_TIMEOUT, idle), lookup: guardedLookup(allowed, rules.resolve) },
      headersTimeout: idle,
      bodyTimeout: idle,
      pipelining: 1,
    });
    const close = () => client.destroy();
    const explain = (error: unknown) => explained(error, at, options.signal, timer);
    try {
      const answer = await client.compose(gatherPieces).request({
        method: 'GET',
        path: `${at.pathname}${at.search}`,
        headers: { 'user-agent': 'darkroom', accept: '*/*', 'accept-encoding': 'identity' },
        signal,
      });
      answer.body.on('error', () => undefined); // an unread body must not end the process when it is closed
      const location = headerOf(answer, 'location');
      if (!REDIRECTS.has(answer.statusCode) || location === undefined) {
        return openBody(answer, at, options, { explain, close });
      }
      await close();
      if (redirects === MAX_REDIRECTS) {
        throw new OutputDelayed(`the output ${shownUrl(at)} redirects more than ${MAX_REDIRECTS} times`);
      }
      target = checkTarget(location, at, allowed);
    } catch (error) {
      await close();
      throw explain(error);
    }
  }
}

/** Judges an answer that is no redirect, and wraps its body. */
function openBody(
  answer: Dispatcher.ResponseData,
  url: URL,
  options: DownloadOptions,
  connection: { explain: (error: unknown) => unknown; close: () => Promise<void> },
): Download {
  const maxBytes = options.maxBytes ?? DOWNLOAD_DEFAULTS.maxBytes;
  checkStatus(answer, url);
  const length = headerOf(answer, 'content-length');
  const contentLength = length !== undefined && /^\d+$/.test(length) ? Number(length) : null;
  if (contentLength !== null && contentLength > maxBytes) throw tooLarge(url, maxBytes);
  const encoding = headerOf(answer, 'content-encoding')?.trim().toLowerCase() ?? 'identity';
  const encoded = encoding !== 'identity' && encoding !== '';

  async function* received(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    const span = options.idleTimeout ?? DOWNLOAD_DEFAULTS.idleTimeout;
    let measured = { at: performance.now(), bytes };
    for await (const chunk of answer.body) {
      const part: Uint8Array = chunk; // undici's bodies give bytes unless an encoding is set
      bytes += part.byteLength;
      options.onProgress?.(bytes);
      const seconds = (performance.now() - measured.at) / 1_000;
      if (seconds * 1_000 >= span) {
        if (bytes - measured.bytes < MIN_RATE * seconds) throw tooSlow(url);
        measured = { at: performance.now(), bytes };
      }
      yield part;
    }
    if (contentLength !== null && bytes !== contentLength) {
      throw new OutputDelayed(`the output ${shownUrl(url)} ended after ${bytes} of ${contentLength} bytes`);
    }
  }

  async function* body(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const chunk of encoded ? decodeBody(received(), encoding) : received()) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw tooLarge(url, maxBytes);
        options.onBytes?.(chunk.byteLength);
        yield chunk;
      }
    } catch (error) {
      throw connection.explain(error);
    } finally {
      await connection.close();
    }
  }

  const whole = body();
  return {
    contentType: headerOf(answer, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase() || null,
    contentLength: encoded ? null : contentLength,
    endMarked: contentLength !== null || headerOf(answer, 'transfer-encoding') !== undefined,
    body: whole,
    async close() {
      await connection.close();
      // Where it was not read to its end, it gives its decoder's memory back.
      void whole.return(undefined).catch(() => undefined);
    },
  };
}

function checkStatus(answer: Dispatcher.ResponseData, url: URL): void {
  const { statusCode: status } = answer;
  if (status === 200 || status === 203) return;
  const message = `the output ${shownUrl(url)} answers with HTTP status ${status}`;
  if (status === 410) throw new OutputGone(message);
  const retryAfter = parseRetryAfter(headerOf(answer, 'retry-after'), Date.now());
  throw new OutputDelayed(message, { status, retryAfter });
}

function tooSlow(url: URL): OutputDelayed {
  return new OutputDelayed(`the output ${shownUrl(url)} arrives at less than ${MIN_RATE} bytes a second`);
}

function tooLarge(url: URL, maxBytes: number): OutputTooLarge {
  return new OutputTooLarge(`the output ${shownUrl(url)} is larger than the limit of ${maxBytes} bytes`);
}

function headerOf(answer: Dispatcher.ResponseData, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** What went wrong, in our terms; a cancellation's own reason stays as it is. */
function explained(error: unknown, url: URL, canceled: AbortSignal | undefined, timer: AbortSignal): unknown {
  if (canceled?.aborted === true) return canceled.reason;
  const ours = outputError(error);
  if (ours !== undefined) return ours;
  if (timer.aborted) {
    return new OutputDelayed(`the output ${shownUrl(url)} did not arrive in time`, { cause: error });
  }
  const failure = toTransportFailure(error, url.origin, true);
  return new OutputDelayed(`the output ${shownUrl(url)} was not received: ${failure.message}`, {
    cause: error,
  });
}

/** The guard's own error, which a socket hands on as it is or among those of several addresses. */
function outputError(error: unknown): OutputError | undefined {
  if (error instanceof OutputError) return error;
  if (error instanceof AggregateError) return error.errors.map(outputError).find(Boolean);
  return error instanceof Error ? outputError(error.cause) : undefined;
}
