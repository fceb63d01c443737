import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until there is an answer (neither undefined nor false), and gives up after a minute. */
export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  what = 'the condition',
): Promise<T> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`Waited a minute in vain for ${what}`);
    await sleep(5);
  }
}
