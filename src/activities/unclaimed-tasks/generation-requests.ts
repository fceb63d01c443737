import type { Client } from '@temporalio/client';
import type { GenerationRequest } from '../../contract/generation.ts';
import { readRequest } from '../../temporal/history.ts';

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
    const request = await readRequest<GenerationRequest>(this.#client, workflowId, runId);
    this.#known.set(runId, request);
    const [oldest = ''] = this.#known.keys();
    if (this.#known.size > REMEMBERED) this.#known.delete(oldest);
    return request;
  }
}
