import type { ReceiverLog } from './receiver-log.ts';

const INTERVAL = 10_000;

/**
 * Warnings about what anybody or an outage can cause thousands of times a second: the first of a kind is
 * logged at once, then one every ten seconds with the number of those in between.
 */
export class OccasionalLog {
  readonly #log: ReceiverLog;
  readonly #now: () => number;
  readonly #kinds = new Map<string, { loggedAt: number; unlogged: number }>();

  /** `kind` has to come from a fixed set. */
  constructor(log: ReceiverLog, now: () => number = Date.now) {
    this.#log = log;
    this.#now = now;
  }

  warn(kind: string, fields: object = {}): void {
    const now = this.#now();
    const known = this.#kinds.get(kind);
    if (known !== undefined && now - known.loggedAt < INTERVAL) {
      known.unlogged += 1;
      return;
    }
    this.#kinds.set(kind, { loggedAt: now, unlogged: 0 });
    this.#log.warn({ ...fields, sinceLastLogged: (known?.unlogged ?? 0) + 1 }, kind);
  }
}
