import type { Client } from '@temporalio/client';
import type { GenerationRequest } from '../workflows/contract.ts';
import { decode } from './run-history.ts';

const REMEMBERED = 2_000;

/**
 * What runs of `generation` were started with. It never changes, so it is asked for once: a survey of who may own a
 * task looks at every run that submits, again and again.
 */
export class GenerationRequests {
  readonly #client: Client;
  readonly #known = new Map<string, GenerationRequest | undefined>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Undefined where it cannot be read. */
  async of(workflowId: string, runId: string): Promise<GenerationRequest | undefined> {
    if (this.#known.has(runId)) return this.#known.get(runId);
    const response = await this.#client.workflowService.getWorkflowExecutionHistory({
      namespace: this.#client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    });
    const started = response.history?.events?.[0]?.workflowExecutionStartedEventAttributes;
    const request = decode(started?.input)[0] as GenerationRequest | undefined; // the workflow's one argument
    this.#known.set(runId, request);
    const [oldest = ''] = this.#known.keys();
    if (this.#known.size > REMEMBERED) this.#known.delete(oldest);
    return request;
  }
}
