import pLimit from 'p-limit';
import QuickLRU from 'quick-lru';
import { inspectMedia } from './inspector.ts';
import type { MediaFacts, MediaSource } from './media-facts.ts';

/** What files told, by their SHA-256: a later try does not look into them again. */
const known = new QuickLRU<string, MediaFacts>({ maxSize: 10_000 });

/**
 * Looks into the files of one task, one after the other. Where one has ended its reader, the task's others no longer go
 * among those of honest tasks: 64 such files would have held these up for half a minute.
 */
export class TaskInspection {
  readonly #turns = pLimit(1);
  readonly #signal: AbortSignal | undefined;
  #isSuspect = false;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** @throws what `source.read` throws; the reason of the signal */
  async inspect(sha256: string, source: MediaSource): Promise<MediaFacts> {
    return await this.#turns(async () => {
      const seen = known.get(sha256);
      if (seen !== undefined) return seen;
      const { ended, ...facts } = await inspectMedia(source, {
        signal: this.#signal,
        isSuspect: this.#isSuspect,
      });
      this.#isSuspect ||= ended;
      known.set(sha256, facts);
      return facts;
    });
  }
}
