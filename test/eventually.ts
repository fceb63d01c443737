import { setTimeout as delay } from 'node:timers/promises';
import { patience } from './patience.ts';

/** Milliseconds between two checks: at first, and at most. */
const FIRST = 20;
const MOST = 500;
/** What each pause is longer than the one before: most checks ask the server and a worker, which have other work. */
const GROWTH = 1.5;

/**
 * Waits until a check passes, as long as a busy machine may take: Vitest's own second is soon over there.
 *
 * @param most milliseconds between two checks, for one that does something for what it waits for
 */
export async function eventually<T>(check: () => T | Promise<T>, most: number = MOST): Promise<T> {
  const end = performance.now() + patience(60_000);
  for (let pause = FIRST; ; pause = Math.min(pause * GROWTH, most)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await delay(pause);
  }
}
