import type { Client, WorkflowHandle } from '@temporalio/client';
import { followResult, type Outcome } from './follow-result.ts';

/** The run that a start led to. */
export interface StartedRun {
  runId: string;
  /** Whether the run had been started before, so that nothing new is bought. */
  attached: boolean;
}

/** A workflow that was started or attached to. It goes on whether anybody holds this or not. */
export abstract class RunHandle {
  readonly workflowId: string;
  readonly runId: string;
  /** Whether the run had been started before. */
  readonly attached: boolean;
  readonly #client: Client;

  constructor(client: Client, workflowId: string, { runId, attached }: StartedRun) {
    this.#client = client;
    this.workflowId = workflowId;
    this.runId = runId;
    this.attached = attached;
  }

  /** Stops waiting, steps included. The API has no cancel call: tasks go on there and cost what they cost. */
  async cancel(): Promise<void> {
    await this.latest.cancel();
  }

  /** The id's latest run: after a Reset not the one that was started. */
  protected get latest(): WorkflowHandle {
    return this.#client.workflow.getHandle(this.workflowId);
  }

  /** Waits for the end; a run that goes on after a Reset is followed. */
  protected async outcome(): Promise<Outcome> {
    return await followResult(this.#client, this.workflowId, this.runId);
  }
}
