import { status } from '@grpc/grpc-js';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { grpcStatus, isBusy, isRefused } from '../../temporal/grpc-status.ts';
import { withinSignal } from './within-signal.ts';

const { EventType } = proto.temporal.api.enums.v1;

/** What a run does, it does in workflow tasks; it may end without one. */
const DONE: ReadonlySet<unknown> = new Set([
  EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT,
]);

/** A long poll that ends without an answer after so long was closed by what is between here and Temporal (milliseconds). */
const OPEN = 1_000;

/**
 * `done`: a run has done something; `due`: it has something to do, and nothing tells yet that a worker does it; `none`:
 * nothing so far.
 */
export type News = 'done' | 'due' | 'none';

/**
 * What is new of an id's latest run, by long polls of its history, which cost no action and leave no trace in it. The
 * server ends each after some time without a word. After an error it may be read on from the same place.
 */
export class RunNews {
  readonly #client: Client;
  readonly #workflowId: string;
  #token: Uint8Array | null = null;

  constructor(client: Client, workflowId: string) {
    this.#client = client;
    this.#workflowId = workflowId;
  }

  /** Ends when the run has. */
  async *read(signal: AbortSignal): AsyncGenerator<News, void, undefined> {
    for (;;) {
      const { history, nextPageToken } = await this.#page(signal);
      const isEnd = nextPageToken === null || nextPageToken === undefined || nextPageToken.length === 0;
      this.#token = isEnd ? null : nextPageToken;
      if (isEnd) return;
      const types = (history?.events ?? []).map(({ eventType }) => eventType);
      const done = types.findLastIndex((type) => DONE.has(type));
      yield done >= 0 ? 'done' : 'none';
      if (types.lastIndexOf(EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED) > done) yield 'due';
    }
  }

  async #page(signal: AbortSignal) {
    const began = performance.now();
    try {
      return await withinSignal(this.#client, signal, () =>
        this.#client.workflowService.getWorkflowExecutionHistory({
          namespace: this.#client.options.namespace,
          execution: { workflowId: this.#workflowId },
          nextPageToken: this.#token,
          waitNewEvent: true,
          skipArchival: true,
        }),
      );
    } catch (error) {
      const isClosed = performance.now() - began >= OPEN && grpcStatus(error).code !== status.UNAVAILABLE;
      if (isRefused(error) && !isBusy(error))
        this.#token = null; // the run of that place may be gone
      else if (isClosed && this.#token !== null) return { history: null, nextPageToken: this.#token };
      throw error;
    }
  }
}
