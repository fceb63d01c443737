import type { Client, WorkflowHandle } from '@temporalio/client';
import { failureError } from './failures/failure-classes.ts';
import type { RunFailedError, RunFailure } from './failures/run-failed-error.ts';
import { followProgress, type ProgressOptions } from './following/follow-progress.ts';
import { followResult } from './following/follow-result.ts';
import { waitFor } from './following/wait.ts';
import type { WaitOptions } from './options.ts';
import type { WorkflowKind } from './workflow-id.ts';

/** The run that a start led to. */
export interface StartedRun {
  runId: string;
  taskQueue: string;
  /** Whether the run had been started before, so that nothing new is bought. */
  attached: boolean;
}

/** A workflow that was started or attached to. It goes on whether anybody holds this or not. */
export abstract class RunHandle<Result, Progress> {
  abstract readonly kind: WorkflowKind;
  /** Names the run everywhere: to come back to it with `attach`, and in the Temporal Web UI. */
  readonly workflowId: string;
  readonly runId: string;
  readonly taskQueue: string;
  /** Whether the run had been started before. */
  readonly attached: boolean;
  readonly #client: Client;

  constructor(client: Client, workflowId: string, { runId, taskQueue, attached }: StartedRun) {
    this.#client = client;
    this.workflowId = workflowId;
    this.runId = runId;
    this.taskQueue = taskQueue;
    this.attached = attached;
  }

  /** How the run stands now; needs a worker to answer. */
  abstract currentProgress(): Promise<Progress>;

  /**
   * Waits for the result. A run that goes on after a Reset is followed.
   *
   * @throws RunFailedError of the class that goes by the failure's type; StillRunningError and NoWorkerError when the
   *   waiting ends before the work does
   */
  async result(options: WaitOptions = {}): Promise<Result> {
    const outcome = await waitFor(this.#client, this, options, () =>
      followResult(this.#client, this.workflowId, this.runId),
    );
    if (outcome.ok) return outcome.result as Result; // the workflow's own result type
    throw this.#failure(outcome.failure);
  }

  /**
   * How the run stands, each time that has changed, until it has ended: `for await (const { state } of run.progress())`.
   * It does not tell how the run has ended: `result` does.
   *
   * @throws StillRunningError, NoWorkerError
   */
  progress(options: ProgressOptions = {}): AsyncGenerator<Progress, void, undefined> {
    const { workflowId, taskQueue } = this;
    const end = (): Promise<unknown> => followResult(this.#client, workflowId, this.runId);
    return followProgress(
      this.#client,
      { workflowId, taskQueue, end, look: () => this.currentProgress() },
      options,
    );
  }

  /** Ends the run, steps included. The API has no cancel call: tasks go on there and cost what they cost. */
  async cancel(): Promise<void> {
    await this.latest.cancel();
  }

  /** The id's latest run: after a Reset not the one that was started. */
  protected get latest(): WorkflowHandle {
    return this.#client.workflow.getHandle(this.workflowId);
  }

  #failure(failure: { type: string; message: string; details: unknown }): RunFailedError {
    // The contract of both workflows: the first detail, and the memo of one that was cancelled.
    const details = failure.details as RunFailure['details'];
    return failureError({ ...failure, details, kind: this.kind, workflowId: this.workflowId });
  }
}
