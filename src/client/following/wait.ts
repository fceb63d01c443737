import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { formatDuration, parseDuration } from '../../policy/duration.ts';
import { isPolled, polledQueues } from '../../temporal/pollers.ts';
import { NoWorkerError, StillRunningError } from '../failures/still-running-error.ts';
import type { WaitOptions } from '../options.ts';
import { SharedWork } from './shared-work.ts';
import { withinSignal } from './within-signal.ts';

/** Milliseconds until somebody asks whether there is a worker at all, and until that is asked once more. */
const PATIENCE = 1_500;
/** A queue that was polled a minute ago is not asked about again. */
const KNOWN_FOR = 60_000;
/** What a timer of Node's can hold. */
const LONGEST = 2_147_483_647;

const polledAt = new WeakMap<Client, Map<string, number>>();
const polls = new SharedWork<boolean>();

/** A run that somebody waits for. */
export interface Awaited {
  workflowId: string;
  taskQueue: string;
}

/**
 * Waits as the options say.
 *
 * @param work told by its signal when nobody waits any more
 * @throws StillRunningError, NoWorkerError, or what `work` rejects with; RangeError for a time-out that is none
 */
export async function waitFor<T>(
  client: Client,
  { workflowId, taskQueue }: Awaited,
  { signal, timeout, withoutWorker = 'fail' }: WaitOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const milliseconds = timeout === undefined ? undefined : parseDuration(timeout);
  if (timeout !== undefined && milliseconds === undefined)
    throw new RangeError(`timeout is a duration like "30s" or a number of milliseconds; got ${timeout}`);
  const over = new AbortController();
  const late = milliseconds === undefined ? undefined : AbortSignal.timeout(Math.min(milliseconds, LONGEST));
  const ends = AbortSignal.any([over.signal, ...[signal, late].filter((one) => one !== undefined)]);
  const given = new Promise<never>((_, reject) => {
    const giveUp = (): void => {
      if (over.signal.aborted) return;
      const why =
        signal?.aborted === true
          ? 'waiting was aborted'
          : `not done after ${formatDuration(milliseconds ?? 0)}`;
      reject(new StillRunningError(workflowId, why, { cause: ends.reason }));
    };
    if (ends.aborted) giveUp();
    else ends.addEventListener('abort', giveUp, { once: true });
  });
  const missed = (): Promise<never> => missedWorker(client, { workflowId, taskQueue }, ends);
  const watched = withoutWorker === 'fail' ? [withinSignal(client, ends, missed)] : [];
  const worked = withinSignal(client, ends, () => work(ends));
  worked.catch(() => undefined); // ended by the signal: nobody listens any more
  try {
    return await Promise.race([worked, given, ...watched]);
  } finally {
    over.abort();
  }
}

/** Rejects once it is sure that nobody polls the queue; never settles otherwise. */
async function missedWorker(client: Client, awaited: Awaited, ends: AbortSignal): Promise<never> {
  const { workflowId, taskQueue } = awaited;
  for (let looks = 0; looks < 2; looks += 1) {
    const isOver = await delay(PATIENCE, false, { signal: ends }).catch(() => true);
    // Where it cannot be told, it is not said.
    if (isOver || (await isPolledLately(client, taskQueue, ends).catch(() => true)))
      return await new Promise(() => undefined);
  }
  throw new NoWorkerError(workflowId, taskQueue, await polledQueues(client));
}

async function isPolledLately(client: Client, taskQueue: string, signal: AbortSignal): Promise<boolean> {
  const known = polledAt.get(client) ?? new Map<string, number>();
  polledAt.set(client, known);
  if (Date.now() - (known.get(taskQueue) ?? 0) < KNOWN_FOR) return true;
  const polled = await polls.join(client, taskQueue, signal, () => isPolled(client, taskQueue));
  if (polled) known.set(taskQueue, Date.now());
  return polled;
}
