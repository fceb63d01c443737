import type { Client } from '@temporalio/client';
import type { GenerationRequest } from '../../contract/generation.ts';
import { decode, decodeFields, type HistoryEvent, readHistory } from '../history.ts';
import { originsOf } from './same-step.ts';
import { stepKeys } from './step-key.ts';

const REMEMBERED = 20;
/** A pipeline that continued as new that often is followed no further. */
const MAX_RUNS = 50;

/** A generation that a pipeline has started. */
interface StartedGeneration {
  workflowId: string;
  /** See step-key.ts. */
  keys: string[];
}

/**
 * The generations that runs of `pipeline` have started, by their histories, back through the runs that they continue.
 * A closed run starts none any more, so its history is read once: each item of a fan-out looks for itself in the same
 * earlier pipeline. What is kept of a generation is short, whatever its input is.
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
    const found: StartedGeneration[] = [];
    let next: string | undefined = runId;
    for (let looked = 0; next !== undefined && looked < MAX_RUNS; looked += 1) {
      const events: HistoryEvent[] = (await readHistory(this.#client, workflowId, next)) ?? [];
      for (const { startChildWorkflowExecutionInitiatedEventAttributes: child } of events) {
        const [request] = decode<[GenerationRequest]>(child?.input); // its only children are generations
        if (request === undefined) continue;
        const keys = stepKeys(request, originsOf(decodeFields(child?.memo?.fields)));
        found.push({ workflowId: child?.workflowId ?? '', keys });
      }
      next = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
    }
    return found;
  }
}
