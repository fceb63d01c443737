import { setTimeout as sleep } from 'node:timers/promises';

/** Submits side by side before the first answers are in. */
const START = 16;

/**
 * How many submits of a workspace may be in flight at once in this process. It begins small and grows by one with
 * each accepted submit while it is in use, as TCP's slow start does: a burst against an API that answers slowly
 * would otherwise be refused by the hundred before the first refusal is heard of. Whoever has to wait waits a
 * moment in its activity, and then without it: a worker that dies over a submit leaves a doubt whether it was sent.
 */
export class SubmitWindow {
  #size = START;
  #inFlight = 0;
  readonly #waiting = new Set<() => void>();

  /**
   * Waits for room; whoever is let in leaves again.
   *
   * @param patience milliseconds
   * @returns whether there was room in time
   * @throws what `canceled` rejects with
   */
  async enter(canceled: Promise<never>, patience: number): Promise<boolean> {
    if (this.#inFlight < this.#size) {
      this.#inFlight += 1;
      return true;
    }
    let room = (): void => undefined;
    const turn = new Promise<true>((resolve) => {
      room = () => resolve(true);
    });
    this.#waiting.add(room);
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

  leave(): void {
    this.#inFlight -= 1;
    this.#letIn();
  }

  accepted(): void {
    if (this.#inFlight * 2 >= this.#size) this.#size += 1;
    this.#letIn();
  }

  refused(): void {
    this.#size = START;
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
