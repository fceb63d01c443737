import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE = 120_000;

/**
 * Waits until something is so; what it cannot tell yet (it throws) is not so.
 *
 * @param what is waited for, in words
 * @throws Error after two minutes
 */
export async function untilSo(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + PATIENCE;
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > until) throw new Error(`waited in vain for ${what}`);
    await delay(200);
  }
}
