import { AsyncResource } from 'node:async_hooks';
import type { Client } from '@temporalio/client';
import { withinSignal } from './within-signal.ts';

/** Whoever asks first does so in a context of its own, which may end before that of the next one. */
const outside = new AsyncResource('darkroom.shared-work');

/** Does work that several callers of the process want as if it belonged to none of them. */
export function inOwnContext<T>(work: () => T): T {
  return outside.runInAsyncScope(work);
}

/** Told by its signal when nobody waits any more. */
type Ask<T> = (gone: AbortSignal) => Promise<T>;

interface Open<T> {
  result: Promise<T>;
  waiting: number;
  gone: AbortController;
}

/** Questions to Temporal whose answer is the same for all: those who ask while one is open share it. */
export class SharedWork<T> {
  readonly #open = new WeakMap<Client, Map<string, Open<T>>>();

  /**
   * Waits for the answer until the caller's signal; the question ends with the last one who waits for it.
   *
   * @param key names the question
   * @throws what `ask` rejects with, or the signal's reason
   */
  async join(client: Client, key: string, signal: AbortSignal, ask: Ask<T>): Promise<T> {
    signal.throwIfAborted();
    const ofClient = this.#open.get(client) ?? new Map<string, Open<T>>();
    this.#open.set(client, ofClient);
    const open = ofClient.get(key) ?? begin(client, ask);
    ofClient.set(key, open);
    open.waiting += 1;
    const left = Promise.withResolvers<never>();
    const leave = (): void => left.reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([open.result, left.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      open.waiting -= 1;
      if (open.waiting === 0) {
        open.gone.abort();
        ofClient.delete(key);
      }
    }
  }
}

function begin<T>(client: Client, ask: Ask<T>): Open<T> {
  const gone = new AbortController();
  const result = inOwnContext(() => withinSignal(client, gone.signal, () => ask(gone.signal)));
  result.catch(() => undefined); // those who wait hear of it
  return { result, waiting: 0, gone };
}
