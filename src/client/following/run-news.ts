import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { isRefused } from '../../temporal/grpc-status.ts';
import { withinSignal } from './within-signal.ts';

const { EventType } = proto.temporal.api.enums.v1;

/** What a run does, it does in workflow tasks; it may end without one. */
const DONE: ReadonlySet<unknown> = new Set([
  EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT,
]);

/** `done`: a run has done something; `due`: it has something to do, and nothing tells yet that a worker does it. */
export type News = 'done' | 'due';

/**
 * What is new of an id's latest run, by long polls of its history, which cost no action. After an error it may be read
 * on from the same place.
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
    do {
      const { history, nextPageToken } = await this.#page(signal);
      this.#token = nextPageToken ?? null;
      const types = (history?.events ?? []).map(({ eventType }) => eventType);
      const done = types.findLastIndex((type) => DONE.has(type));
      if (done >= 0) yield 'done';
      if (types.lastIndexOf(EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED) > done) yield 'due';
    } while (this.#token !== null && this.#token.length > 0);
  }

  async #page(signal: AbortSignal) {
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
      if (isRefused(error)) this.#token = null; // the run of that place may be gone
      throw error;
    }
  }
}
