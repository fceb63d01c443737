import { condition, workflowInfo } from '@temporalio/workflow';

/** Bytes that one workflow task sends: gRPC takes 4 MB, and the server ends a workflow whose task sends more. */
const MOST_AT_ONCE = 2_000_000;

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
