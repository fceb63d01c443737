import { status } from '@grpc/grpc-js';
import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';

/** What gRPC's client says of itself where no answer has come, or a broken one. */
const UNANSWERED: ReadonlySet<status> = new Set([
  status.CANCELLED,
  status.UNKNOWN,
  status.DEADLINE_EXCEEDED,
  status.INTERNAL,
  status.UNAVAILABLE,
]);

/** The server's own status, which Temporal's client often puts into the cause of its error. */
export function grpcStatus(error: unknown): { code: status | undefined; details: string } {
  const cause = error instanceof Error && !isGrpcServiceError(error) ? error.cause : error;
  return isGrpcServiceError(cause)
    ? { code: cause.code, details: cause.details }
    : { code: undefined, details: '' };
}

/** The server has answered, and does not do what it was asked for. */
export function isRefused(error: unknown): boolean {
  const { code } = grpcStatus(error);
  return code !== undefined && !UNANSWERED.has(code);
}

/** Refused because too much is asked; or not answered in time, which is a reason to ask less, too. */
export function isBusy(error: unknown): boolean {
  const { code } = grpcStatus(error);
  return code === status.RESOURCE_EXHAUSTED || code === status.DEADLINE_EXCEEDED;
}

/**
 * "column name 'DarkroomTaskId' is not a valid search attribute": no worker has registered it here yet. The server has
 * no code of its own for it.
 */
export function isNotSearchable(error: unknown): boolean {
  const { code, details } = grpcStatus(error);
  return code === status.INVALID_ARGUMENT && details.includes('is not a valid search attribute');
}

/** The server has no such workflow, run or namespace, or no longer. */
export function isNotFound(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || grpcStatus(error).code === status.NOT_FOUND;
}
