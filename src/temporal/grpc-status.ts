import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';

/** gRPC status codes. */
export const INVALID_ARGUMENT = 3;
const CANCELLED = 1;
const UNKNOWN = 2;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const RESOURCE_EXHAUSTED = 8;
const INTERNAL = 13;
const UNAVAILABLE = 14;

/** What gRPC's client says of itself where no answer has come, or a broken one. */
const UNANSWERED: ReadonlySet<number> = new Set([
  CANCELLED,
  UNKNOWN,
  DEADLINE_EXCEEDED,
  INTERNAL,
  UNAVAILABLE,
]);

/** The server's own status, which Temporal's client often puts into the cause of its error. */
export function grpcStatus(error: unknown): { code: number | undefined; details: string } {
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
