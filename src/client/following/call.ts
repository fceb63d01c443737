import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from '@temporalio/client';
import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { formatDuration, parseDuration } from '../../policy/duration.ts';
import { isRefused } from '../../temporal/grpc-status.ts';
import { TemporalUnreachable } from '../../temporal/temporal-unreachable.ts';
import type { CallOptions } from '../options.ts';
import { withinSignal } from './within-signal.ts';

/** Milliseconds for one question, where the caller says nothing: a server that is frozen answers in its own time. */
const PATIENCE = 20_000;
/** What a timer of Node's can hold. */
const LONGEST = 2_147_483_647;

/** What ends the call that another one is a part of. */
const around = new AsyncLocalStorage<AbortSignal>();

/**
 * Asks Temporal for something that is answered at once: within the caller's time, and until the caller's signal. A call
 * within a call ends with it, and has no time-out of its own unless one is given.
 *
 * @param who gives the answer, where it is not Temporal alone
 * @throws TemporalUnreachable where no answer comes in time; the signal's reason; RangeError for a time-out that is none
 */
export async function call<T>(
  client: Client,
  { signal, timeout = around.getStore() === undefined ? PATIENCE : LONGEST }: CallOptions,
  work: () => Promise<T>,
  who = 'Temporal',
): Promise<T> {
  const milliseconds = parseDuration(timeout);
  if (milliseconds === undefined)
    throw new RangeError(`timeout is a duration like "30s" or a number of milliseconds; got ${timeout}`);
  signal?.throwIfAborted();
  const late = AbortSignal.timeout(Math.min(milliseconds, LONGEST));
  const ends = AbortSignal.any([late, signal, around.getStore()].filter((one) => one !== undefined));
  const worked = around.run(ends, () => withinSignal(client, ends, work));
  worked.catch(() => undefined); // ended by the signal: nobody listens any more
  const ended = Promise.withResolvers<never>();
  const end = (): void => ended.reject(ends.reason);
  ends.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([worked, ended.promise]);
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    if (late.aborted) throw unreachable(who, `no answer within ${formatDuration(milliseconds)}`, error);
    if (isUnanswered(error))
      throw unreachable(who, error.cause instanceof Error ? error.cause.message : error.message, error);
    throw error;
  } finally {
    ends.removeEventListener('abort', end);
  }
}

function isUnanswered(error: unknown): error is Error {
  return (error instanceof ServiceError || isGrpcServiceError(error)) && !isRefused(error);
}

function unreachable(who: string, why: string, cause: unknown): TemporalUnreachable {
  return new TemporalUnreachable(`${who} gave no answer: ${why}; what was started goes on`, { cause });
}
