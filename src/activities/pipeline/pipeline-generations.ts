import type { Client } from '@temporalio/client';
import type { GenerationRequest } from '../../contract/generation.ts';
import { decode, readHistory } from '../../temporal/history.ts';

const REMEMBERED = 20;

interface StartedGeneration {
  workflowId: string;
  request: GenerationRequest;
}

/**
 * The generations that runs of `pipeline` have started, by their histories. A closed run starts none any more, so its
 * history is read once: each item of a fan-out looks for itself in the same earlier pipeline.
 */
export class PipelineGenerations {
  readonly #client: Client;
  readonly #known = new Map<string, Promise<StartedGeneration[]>>();

  constructor(client: Client) {
    this.#client = client;
  }

  async of(run: { workflowId: string; runId: string; isClosed: boolean }): Promise<StartedGeneration[]> {
    if (!run.isClosed) return await this.#read(run);
    const key = `${run.workflowId}/${run.runId}`;
    const known = this.#known.get(key);
    if (known !== undefined) return await known;
    const reading = this.#read(run);
    this.#known.set(key, reading);
    const [oldest = ''] = this.#known.keys();
    if (this.#known.size > REMEMBERED) this.#known.delete(oldest);
    try {
      return await reading;
    } catch (error) {
      this.#known.delete(key);
      throw error;
    }
  }

  async #read({ workflowId, runId }: { workflowId: string; runId: string }): Promise<StartedGeneration[]> {
    const events = (await readHistory(this.#client, workflowId, runId)) ?? [];
    return events.flatMap(({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => {
      const [request] = decode(child?.input) as [GenerationRequest | undefined]; // its only children are generations
      return request === undefined ? [] : [{ workflowId: child?.workflowId ?? '', request }];
    });
  }
}
