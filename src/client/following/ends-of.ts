import { parseDuration } from '../../policy/duration.ts';
import type { CallOptions } from '../options.ts';

/**
 * What ends a call that does not ask Temporal, but the store or the API: its signal, or its time-out, whose reason is a
 * TimeoutError. A large file takes its time: without a time-out there is none.
 *
 * @throws RangeError for a time-out that is none
 */
export function endsOf({ signal, timeout }: CallOptions): AbortSignal | undefined {
  if (timeout === undefined) return signal;
  const milliseconds = parseDuration(timeout);
  if (milliseconds === undefined)
    throw new RangeError(`timeout is a duration like "30s" or a number of milliseconds; got ${timeout}`);
  const late = AbortSignal.timeout(milliseconds);
  return signal === undefined ? late : AbortSignal.any([signal, late]);
}

/** The same promise, until it is ended. @throws the signal's reason */
export async function until<T>(ends: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (ends === undefined) return await work;
  work.catch(() => undefined); // once it has been ended, nobody listens
  ends.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  const end = (): void => ended.reject(ends.reason);
  ends.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    ends.removeEventListener('abort', end);
  }
}
