import { condition, workflowInfo } from '@temporalio/workflow';

/** So many generations of a pipeline run at once: their results come to its history, which may have 50 MB. */
const SIDE_BY_SIDE = 100;

/** Bytes that one workflow task sends: gRPC takes 4 MB. */
const MOST_AT_ONCE = 2_000_000;

/** Lets so many generations run at the same time; the others wait, first come first served. */
export class Permits {
  #free = SIDE_BY_SIDE;
  readonly #waiting: symbol[] = [];

  async run<T>(generation: () => Promise<T>): Promise<T> {
    const turn = Symbol('turn');
    this.#waiting.push(turn);
    await condition(() => this.#free > 0 && this.#waiting[0] === turn);
    this.#waiting.shift();
    this.#free -= 1;
    try {
      return await generation();
    } finally {
      this.#free += 1;
    }
  }
}

/** Keeps what one workflow task sends within what gRPC takes: the rest goes out with the next one. */
export class Outbox {
  #task = 0;
  #bytes = 0;

  /** Waits until so many bytes can go out with the current workflow task, and takes their place in it. */
  async room(bytes: number): Promise<void> {
    await condition(() => this.#take(bytes));
  }

  /** Taken as it is asked: Temporal asks all that wait in one go, before any of them goes on. */
  #take(bytes: number): boolean {
    const { historyLength } = workflowInfo();
    // It grows with each workflow task, and only then. What has gone out brings the next one about.
    if (historyLength !== this.#task) {
      this.#task = historyLength;
      this.#bytes = 0;
    }
    if (this.#bytes > 0 && this.#bytes + bytes > MOST_AT_ONCE) return false;
    this.#bytes += bytes;
    return true;
  }
}
