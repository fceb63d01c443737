/** Submits side by side before the first answers are in. */
const START = 16;

/**
 * How many submits of a workspace may be in flight at once in this process. It begins small and grows by one with
 * each accepted submit while it is in use, as TCP's slow start does: a burst against an API that answers slowly
 * would otherwise be refused by the hundred before the first refusal is heard of. Whoever has to wait waits in
 * its activity, for a few answers' time.
 */
export class SubmitWindow {
  #size = START;
  #inFlight = 0;
  readonly #waiting = new Set<() => void>();

  /** Resolves when there is room; every entrant leaves again. @throws what `canceled` rejects with */
  async enter(canceled: Promise<never>): Promise<void> {
    if (this.#inFlight < this.#size) {
      this.#inFlight += 1;
      return;
    }
    let room = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      room = resolve;
    });
    this.#waiting.add(room);
    try {
      await Promise.race([turn, canceled]);
    } catch (error) {
      // Let in and canceled in the same moment: the place goes to the next one.
      if (!this.#waiting.delete(room)) this.leave();
      throw error;
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
