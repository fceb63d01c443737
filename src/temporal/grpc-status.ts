import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';

/** gRPC status codes. */
export const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const RESOURCE_EXHAUSTED = 8;

/** The server's own status, which Temporal's client often puts into the cause of its error. */
export function grpcStatus(error: unknown): { code: number | undefined; details: string } {
  const cause = error instanceof Error && !isGrpcServiceError(error) ? error.cause : error;
  return isGrpcServiceError(cause)
    ? { code: cause.code, details: cause.details }
    : { code: undefined, details: '' };
}

/** Refused because too much is asked; or not answered in time, which is a reason to ask less, too. */
export function isBusy(error: unknown): boolean {
  const { code } = grpcStatus(error);
  return code === RESOURCE_EXHAUSTED || code === DEADLINE_EXCEEDED;
}

/**
 * "column name 'DarkroomTaskId' is not a valid search attribute": no worker has registered it here yet. The server has
 * no code of its own for it.
 */
export function isNotSearchable(error: unknown): boolean {
  const { code, details } = grpcStatus(error);
  return code === INVALID_ARGUMENT && details.includes('is not a valid search attribute');
}

/** The server has no such workflow, run or namespace, or no longer. */
export function isNotFound(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || grpcStatus(error).code === NOT_FOUND;
}
