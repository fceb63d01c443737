import type { Worker } from '@temporalio/worker';

/** How often a worker's state is looked at (milliseconds): nothing tells when it changes. */
const LOOK = 250;
/** Milliseconds from the beginning of a shutdown to its end: what is in flight has 90 seconds. */
const LONGEST_SHUTDOWN = 150_000;

/**
 * Waits for the end of a worker. One whose core has shut down, for example over a message that it cannot decode, never
 * comes to it: it waits for tasks that nobody can complete any more. Its state tells.
 *
 * @param run of that worker
 * @throws what the worker fails with
 */
export async function untilEnded(worker: Pick<Worker, 'getState'>, run: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let runningAt = Date.now();
  const broken = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      const state = worker.getState();
      if (state === 'RUNNING' || state === 'INITIALIZED') runningAt = Date.now();
      if (state === 'FAILED' || Date.now() - runningAt > LONGEST_SHUTDOWN) reject(new Error(BROKEN));
    }, LOOK);
  });
  try {
    await Promise.race([run, broken]);
  } finally {
    clearInterval(timer);
  }
}

const BROKEN = 'a Temporal worker has broken and takes no work any more (the log says why): start it anew';
