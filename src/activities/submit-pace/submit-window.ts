import { setTimeout as sleep } from 'node:timers/promises';

/** Submits side by side before the first answers are in. */
const START = 16;
/** While the API accepts, there is room for one more of those that wait each time that so much has passed (ms). */
const WIDENS_EVERY = 60;
/** An API that has accepted is silent only after so long, or twice as long as that answer took (ms). */
const SHORTEST_SILENCE = 1_000;
/** Who has found no room comes again after so long at the latest (ms): while the API accepts, or before it says a word. */
const LONGEST_AWAY = { accepting: 4_000, silent: 10_000 };

/**
 * How many submits of a workspace may be in flight at once in this process. It begins small and grows by one with
 * each accepted submit while it is in use, as TCP's slow start does: a burst against an API that answers slowly
 * would otherwise be refused by the hundred before the first refusal is heard of. Once the first is
 * accepted it also grows by 16 a second while somebody waits: an API that takes 20 s for each answer would idle by
 * answers alone. A refusal, a submit without an answer and a pause make it small again; while answers stay away it stays
 * as it is. Whoever has to wait waits a
 * moment in its activity, and then without it: a worker that dies over a submit leaves a doubt whether it was sent.
 */
export class SubmitWindow {
  #size = START;
  #inFlight = 0;
  /** Until then the API is taken to accept, in milliseconds since the epoch: one more answer would have come. */
  #acceptsUntil = 0;
  readonly #waiting = new Set<() => void>();
  #widening: NodeJS.Timeout | undefined;
  /** When the last one that found no room is to come again, in milliseconds since the epoch. */
  #lastReturn = 0;

  /**
   * Waits for room; whoever is let in leaves again.
   *
   * @param patience milliseconds
   * @returns whether there was room in time
   * @throws what `canceled` rejects with
   */
  async enter(canceled: Promise<never>, patience: number): Promise<boolean> {
    // What it bore some time ago says nothing of now.
    if (this.#inFlight === 0 && !this.#accepts) this.#size = START;
    if (this.#inFlight < this.#size) {
      this.#inFlight += 1;
      return true;
    }
    let room = (): void => undefined;
    const turn = new Promise<true>((resolve) => {
      room = () => resolve(true);
    });
    this.#waiting.add(room);
    this.#widening ??= setInterval(() => this.#widen(), WIDENS_EVERY).unref();
    const over = new AbortController();
    try {
      const late = sleep(patience, false, { signal: over.signal });
      late.catch(() => undefined); // nobody waits for it any more
      const isIn = await Promise.race([turn, late, canceled]);
      // Let in at the last moment, it is in.
      return isIn || !this.#waiting.delete(room);
    } catch (error) {
      // Let in and canceled in the same moment: the place goes to the next one.
      if (!this.#waiting.delete(room)) this.leave();
      throw error;
    } finally {
      over.abort();
    }
  }

  /** When one that found no room is to come again, in milliseconds: one after the other. */
  away(): number {
    const now = Date.now();
    const longest = this.#accepts ? LONGEST_AWAY.accepting : LONGEST_AWAY.silent;
    const next = Math.max(now, this.#lastReturn) + Math.min(WIDENS_EVERY, 1_000 / this.#size);
    if (next - now > longest) return longest * (1 + 0.25 * Math.random());
    this.#lastReturn = next;
    return next - now;
  }

  leave(): void {
    this.#inFlight -= 1;
    this.#letIn();
  }

  /** @param took milliseconds from the POST to its answer */
  accepted(took: number): void {
    this.#acceptsUntil = Date.now() + Math.max(SHORTEST_SILENCE, 2 * took);
    if (this.#inFlight * 2 >= this.#size) this.#size += 1;
    this.#letIn();
  }

  /** One was refused for their number, or nobody knows what became of it. */
  shrink(): void {
    this.#acceptsUntil = 0;
    this.#size = START;
  }

  get #accepts(): boolean {
    return Date.now() < this.#acceptsUntil;
  }

  #widen(): void {
    if (this.#waiting.size === 0) {
      clearInterval(this.#widening);
      this.#widening = undefined;
      return;
    }
    if (!this.#accepts) return;
    this.#size += 1;
    this.#letIn();
  }

  #letIn(): void {
    for (const room of this.#waiting) {
      if (this.#inFlight >= this.#size) return;
      this.#waiting.delete(room);
      this.#inFlight += 1;
      room();
    }
  }
}
