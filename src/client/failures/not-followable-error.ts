/** The workflow that an id names is none that this client knows how to follow. */
export class NotFollowableError extends TypeError {
  override readonly name = 'NotFollowableError';

  constructor(workflowId: string, workflowType: string) {
    super(`${workflowId} is of the type ${workflowType}, neither a generation nor a pipeline`);
  }
}
