import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until there is an answer (neither undefined nor false), and gives up after 25 seconds. */
export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  what = 'the condition',
): Promise<T> {
  const deadline = Date.now() + 25_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`Waited 25 s in vain for ${what}`);
    await sleep(5);
  }
}
