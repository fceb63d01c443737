import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './target.ts';

/** Looks again and again until there is something, as long as the target's patience lasts. */
export async function waitFor<T>(target: Target, look: () => T | false | undefined): Promise<T> {
  const deadline = Date.now() + target.settings.patience;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error('Waited in vain for a webhook');
    await sleep(10);
  }
}
