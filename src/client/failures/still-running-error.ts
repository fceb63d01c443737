/**
 * Waiting has ended, the work goes on: the time was over, or the signal was aborted (`cause` has its reason). To come
 * back to it: `darkroom.attach(error.workflowId)`, or the same call with the same key.
 */
export class StillRunningError extends Error {
  override readonly name: string = 'StillRunningError';
  readonly workflowId: string;

  constructor(workflowId: string, why: string, options?: ErrorOptions) {
    super(
      `${why}: ${workflowId} goes on. To come back to it: darkroom.attach(${JSON.stringify(workflowId)})`,
      options,
    );
    this.workflowId = workflowId;
  }
}

/**
 * Nobody works where the run was started, so waiting for it is in vain: the name of the task queue is wrong, or no
 * worker is up. The run is there, and goes on as soon as a worker polls that queue.
 */
export class NoWorkerError extends StillRunningError {
  override readonly name = 'NoWorkerError';
  readonly taskQueue: string;
  /** The task queues of the namespace that are polled, as far as can be told. */
  readonly polled: readonly string[];

  constructor(workflowId: string, taskQueue: string, polled: readonly string[]) {
    super(workflowId, describeNoWorker(taskQueue, polled));
    this.taskQueue = taskQueue;
    this.polled = polled;
  }
}

function describeNoWorker(taskQueue: string, polled: readonly string[]): string {
  const others = polled.length === 0 ? 'nor any other that is known' : `polled are: ${polled.join(', ')}`;
  return `no worker polls task queue ${taskQueue} (${others})`;
}
