import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import { parseDuration } from '../../policy/duration.ts';
import type { Duration, WaitOptions } from '../options.ts';
import { type Awaited, waitFor } from './wait.ts';

/** How a run's progress is followed. */
export interface ProgressOptions extends WaitOptions {
  /** Between two looks: one second when absent. */
  every?: Duration | undefined;
}

/** A look that is not answered for so long is given up (milliseconds): the next one may find a worker. */
const PATIENCE = 5_000;
/** The last look has no next one: it is tried so often. */
const LAST_TRIES = 4;

/** What is followed: how it stands, and when it has ended, whichever way. */
export interface Followed<Progress> extends Awaited {
  look: () => Promise<Progress>;
  end: () => Promise<unknown>;
}

/**
 * How a run stands, each time that has changed, until it has ended; the last one is how it stood at its end, where a
 * worker answers.
 *
 * @throws StillRunningError, NoWorkerError
 */
export async function* followProgress<Progress>(
  client: Client,
  followed: Followed<Progress>,
  { every = 1_000, ...options }: ProgressOptions = {},
): AsyncGenerator<Progress, void, undefined> {
  const interval = parseDuration(every);
  if (interval === undefined) throw new RangeError(`every is a duration like "1s"; got ${every}`);
  const left = new AbortController(); // whoever follows may stop looking at any time
  const signal = AbortSignal.any([left.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const over = new AbortController();
  const ended = waitFor(client, followed, { ...options, signal }, async () => {
    await followed.end().catch((error: unknown) => {
      if (signal.aborted) throw error;
    });
    over.abort();
  });
  ended.catch(() => undefined); // awaited below
  const look = async (): Promise<Progress | undefined> =>
    await client.withDeadline(Date.now() + PATIENCE, followed.look).catch(() => undefined);
  let shown: Progress | undefined;
  try {
    do {
      const seen = await Promise.race([look(), ended.then(() => undefined)]);
      if (seen !== undefined && !isDeepStrictEqual(seen, shown)) {
        shown = seen;
        yield seen;
      }
      const pause = delay(interval, undefined, { signal: AbortSignal.any([over.signal, left.signal]) });
      await Promise.race([pause.catch(() => undefined), ended]);
    } while (!over.signal.aborted);
    let last: Progress | undefined;
    for (let tries = 0; last === undefined && tries < LAST_TRIES; tries += 1) last = await look();
    if (last !== undefined && !isDeepStrictEqual(last, shown)) yield last;
  } finally {
    left.abort();
  }
}
