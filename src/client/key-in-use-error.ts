/**
 * The key belongs to another request: a run of that workflow id was started with another model or input. Attaching
 * to it would hand out a result that nobody asked for here.
 */
export class KeyInUseError extends Error {
  override readonly name = 'KeyInUseError';
  readonly workflowId: string;

  constructor(workflowId: string, difference: string) {
    super(`${workflowId} was started with another ${difference}; use another key for another request`);
    this.workflowId = workflowId;
  }
}
