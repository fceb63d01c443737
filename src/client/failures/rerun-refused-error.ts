/** A run that cannot be run again like this. */
export class RerunRefusedError extends Error {
  override readonly name = 'RerunRefusedError';

  /** Another pipeline beside it would buy what this one is about to buy. */
  static stillRuns(workflowId: string): RerunRefusedError {
    return new this(
      `${workflowId} still runs: watch it to its end, reset it, or cancel it, and rerun it then; what it buys meanwhile would be bought twice`,
    );
  }

  static notBegun(workflowId: string): RerunRefusedError {
    return new this(
      `${workflowId} has not begun yet: there is nothing to repeat. Is a worker running? Where it has ended, nothing was bought: rerun it`,
    );
  }
}
