import type { Client, WorkflowHandle } from '@temporalio/client';
import { cancelRun } from '../temporal/cancel-run.ts';
import { failureError } from './failures/failure-error.ts';
import type { RunFailedError, RunFailure } from './failures/run-failed-error.ts';
import { call } from './following/call.ts';
import { followProgress, type ProgressOptions } from './following/follow-progress.ts';
import { followResult } from './following/follow-result.ts';
import { waitFor } from './following/wait.ts';
import type { CallOptions, WatchOptions } from './options.ts';
import type { WorkflowKind } from './workflow-id.ts';

/** Somebody who follows a run asks again: a look that is not answered for so long is given up (milliseconds). */
const PATIENCE = 5_000;

/** A result that is there is kept back for so long until how the run stood at its end is known (milliseconds). */
const LAST_LOOK = 2_000;

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

  /**
   * How the run stands now; needs a worker to answer.
   *
   * @throws TemporalUnreachable where no answer comes in time, of Temporal or of a worker
   */
  abstract currentProgress(options?: CallOptions): Promise<Progress>;

  /**
   * Waits for the result. A run that goes on after a Reset is followed.
   *
   * @throws RunFailedError of the class that goes by the failure's type; StillRunningError and NoWorkerError when the
   *   waiting ends before the work does
   */
  async result({ onProgress, ...options }: WatchOptions<Progress> = {}): Promise<Result> {
    if (onProgress !== undefined)
      for await (const progress of this.#follow(options, LAST_LOOK)) onProgress(progress);
    const outcome = await waitFor(this.#client, this, options, (signal) =>
      followResult(this.#client, this.workflowId, this.runId, signal),
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
    return this.#follow(options);
  }

  #follow(options: ProgressOptions, lastLook?: number): AsyncGenerator<Progress, void, undefined> {
    const { workflowId, taskQueue } = this;
    const end = (signal: AbortSignal): Promise<unknown> =>
      followResult(this.#client, workflowId, this.runId, signal);
    return followProgress(
      this.#client,
      { workflowId, taskQueue, end, look: () => this.currentProgress({ timeout: PATIENCE }) },
      options,
      lastLook,
    );
  }

  /**
   * Ends the run, steps included. The API has no cancel call: tasks go on there and cost what they cost.
   *
   * @throws WorkflowNotFoundError when it has ended
   */
  async cancel(options: CallOptions = {}): Promise<void> {
    await call(this.#client, options, () => cancelRun(this.#client, this.workflowId));
  }

  /** Asks the id's latest run: after a Reset not the one that was started. */
  protected async askLatest<T>(
    options: CallOptions,
    ask: (latest: WorkflowHandle) => Promise<T>,
  ): Promise<T> {
    const latest = this.#client.workflow.getHandle(this.workflowId);
    const who = `Temporal, or a worker on task queue ${this.taskQueue},`;
    return await call(this.#client, options, () => ask(latest), who);
  }

  #failure(failure: { type: string; message: string; details: unknown }): RunFailedError {
    // The contract of both workflows: the first detail, and the memo of one that was cancelled.
    const details = failure.details as RunFailure['details'];
    return failureError({ ...failure, details, kind: this.kind, workflowId: this.workflowId });
  }
}
