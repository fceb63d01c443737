/**
 * What was started, to be stopped in the opposite order: as much of `AsyncDisposableStack` as is needed here. Node has
 * that from version 24 on, and the package runs on 22.
 */
export class CleanupStack {
  #stops: (() => unknown)[] = [];

  defer(stop: () => unknown): void {
    this.#stops.push(stop);
  }

  /** Hands everything over to a new stack: disposing of this one stops nothing any more. */
  move(): CleanupStack {
    const moved = new CleanupStack();
    moved.#stops = this.#stops;
    this.#stops = [];
    return moved;
  }

  /** Stops all of it, whatever fails; then throws what failed first. */
  async disposeAsync(): Promise<void> {
    const failures: unknown[] = [];
    for (let stop = this.#stops.pop(); stop !== undefined; stop = this.#stops.pop()) {
      try {
        await stop();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
