import { Client } from 'undici';
import { toTransportFailure } from '../../api/client/transport-failure.ts';
import { OutputRefused } from '../output-errors.ts';
import type { DownloadRules } from './download.ts';
import { checkTarget } from './download-target.ts';
import { guardedLookup } from './guarded-lookup.ts';
import { isPublicAddress } from './public-address.ts';

interface Post {
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string;
  /** Milliseconds. */
  timeout: number;
}

/**
 * A POST to an address that somebody has named, guarded as downloads are. Redirects are not followed, and nothing of the
 * answer is read.
 *
 * @returns the answer's status
 * @throws Error where there is none, or the address is not allowed
 */
export async function guardedPost(
  url: string,
  { allowPrivate, isPublic = isPublicAddress, resolve }: DownloadRules,
  { headers, body, timeout }: Post,
): Promise<number> {
  const allowed = allowPrivate ? () => true : isPublic;
  const target = guarded(() => checkTarget(url, undefined, allowed));
  const client = new Client(target.origin, {
    connect: { timeout: Math.min(10_000, timeout), lookup: guardedLookup(allowed, resolve) },
    headersTimeout: timeout,
    bodyTimeout: timeout,
  });
  try {
    const answer = await client.request({
      method: 'POST',
      path: `${target.pathname}${target.search}`,
      headers: { 'user-agent': 'darkroom', 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(timeout),
    });
    answer.body.on('error', () => undefined); // an unread body must not end the process when it is closed
    return answer.statusCode;
  } catch (error) {
    throw explained(error, target);
  } finally {
    await client.destroy();
  }
}

function guarded<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof OutputRefused ? ofCallback(error) : error;
  }
}

function explained(error: unknown, { origin }: URL): Error {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof OutputRefused) return ofCallback(cause);
  return toTransportFailure(error, origin, true);
}

/** The guard speaks of outputs. */
function ofCallback({ message }: OutputRefused): Error {
  return new Error(message.replace('the output', 'the callback'));
}
