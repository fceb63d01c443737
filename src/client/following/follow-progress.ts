import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import { parseDuration } from '../../policy/duration.ts';
import type { Duration, WaitOptions } from '../options.ts';
import { follow, type Looked } from './run-follower.ts';
import { type Awaited, waitFor } from './wait.ts';

/** How it stood at its end is waited for so long (milliseconds): a worker may have to replay a long history. */
const LAST_LOOK = 20_000;

/** How a run's progress is followed. */
export interface ProgressOptions extends WaitOptions {
  /** Between two answers at least: one second when absent, and at the least. The run is asked only when it has news. */
  every?: Duration | undefined;
}

/** What is followed: how it stands, and when it has ended, whichever way. */
export interface Followed<Progress> extends Awaited, Looked<Progress> {
  end: (signal: AbortSignal) => Promise<unknown>;
}

/**
 * How a run stands, each time that has changed, until it has ended; the last one is how it stood at its end, where a
 * worker answers. Once it has ended, what ends the waiting throws nothing.
 *
 * @param lastLook how long that is waited for (milliseconds)
 * @throws StillRunningError, NoWorkerError
 */
export async function* followProgress<Progress>(
  client: Client,
  followed: Followed<Progress>,
  { every = 1_000, ...options }: ProgressOptions = {},
  lastLook = LAST_LOOK,
): AsyncGenerator<Progress, void, undefined> {
  const interval = parseDuration(every);
  if (interval === undefined) throw new RangeError(`every is a duration like "1s"; got ${every}`);
  const left = new AbortController(); // whoever follows may stop looking at any time
  const signal = AbortSignal.any([left.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const over = new AbortController();
  const following = follow(client, followed, interval);
  let hasEnded = false;
  const wait = async (until: AbortSignal): Promise<void> => {
    await followed.end(until);
    hasEnded = true;
    over.abort();
    // Where somebody has started the id anew, that run goes on.
    await Promise.race([following.over, delay(lastLook, undefined, { signal: until, ref: false })]);
  };
  const waited = waitFor(client, followed, { ...options, signal }, wait)
    .catch((error: unknown) => {
      if (!hasEnded) throw error;
    })
    .finally(() => over.abort());
  waited.catch(() => undefined); // awaited below
  let shown: Progress | undefined;
  try {
    while (!over.signal.aborted) {
      const next = following.changed(over.signal);
      const { latest } = following;
      if (latest === undefined || isDeepStrictEqual(latest, shown)) {
        await next;
        continue;
      }
      shown = latest;
      yield latest;
      await delay(interval, undefined, { signal: over.signal }).catch(() => undefined);
    }
    await waited;
    const { latest } = following;
    if (latest !== undefined && !isDeepStrictEqual(latest, shown)) yield latest;
  } finally {
    left.abort();
    following.leave();
  }
}
