/** A run that cannot be run again like this. */
export class RerunRefusedError extends Error {
  override readonly name = 'RerunRefusedError';

  static notBegun(workflowId: string): RerunRefusedError {
    return new this(
      `${workflowId} has not begun yet: there is nothing to repeat. Is a worker running? Where it has ended, nothing was bought: rerun it`,
    );
  }
}
