import { type GenerationCode, withoutPrefix } from '../../api/codes.ts';
import type { OwnFailureType } from '../../contract/generation.ts';
import type { PipelineResult } from '../../contract/pipeline.ts';
import { RunFailedError, type RunFailure } from './run-failed-error.ts';

/** One class for each way in which a run can fail. What they carry, and their messages: `RunFailedError`. */

/** Refused before anything was bought: `errors` has each wrong field. */
export class InvalidRequestError extends RunFailedError {
  override readonly name = 'InvalidRequestError';
}

/** The API refuses the input that Darkroom took for a valid one. */
export class InvalidInputError extends RunFailedError {
  override readonly name = 'InvalidInputError';
}

/** The moderation policy of the API refuses the prompt, an input file, or what was made of them. */
export class ContentRejectedError extends RunFailedError {
  override readonly name = 'ContentRejectedError';
}

/** The balance did not grow for as long as the policy waits for it. */
export class InsufficientCreditsError extends RunFailedError {
  override readonly name = 'InsufficientCreditsError';
}

/** The API has refused submits as too many for longer than the policy waits. */
export class RateLimitedError extends RunFailedError {
  override readonly name = 'RateLimitedError';
}

/** The provider behind a model was unavailable for longer than the policy waits. */
export class ProviderUnavailableError extends RunFailedError {
  override readonly name = 'ProviderUnavailableError';
}

/** The task failed at the API, as often as the policy buys another one. */
export class TaskFailedError extends RunFailedError {
  override readonly name = 'TaskFailedError';
}

/** The API gave the task up as taking too long, as often as the policy buys another one. */
export class TaskTimeoutError extends RunFailedError {
  override readonly name = 'TaskTimeoutError';
}

/** The API does not take the workspace's key. */
export class UnauthorizedError extends RunFailedError {
  override readonly name = 'UnauthorizedError';
}

/** The key may not use the workspace. */
export class WorkspaceForbiddenError extends RunFailedError {
  override readonly name = 'WorkspaceForbiddenError';
}

/** The API does not know the template. */
export class TemplateNotFoundError extends RunFailedError {
  override readonly name = 'TemplateNotFoundError';
}

/** The task was not done by the policy's deadline. It may still finish, and a rerun takes it then. */
export class TaskOverdueError extends RunFailedError {
  override readonly name = 'TaskOverdueError';
}

/** The API does not know the task any more. */
export class TaskVanishedError extends RunFailedError {
  override readonly name = 'TaskVanishedError';
}

/** The task was canceled at the API. */
export class TaskCanceledError extends RunFailedError {
  override readonly name = 'TaskCanceledError';
}

/** Nobody can tell whether a task was bought: the answer got lost, and the policy or a person gave up. */
export class SubmissionUnknownError extends RunFailedError {
  override readonly name = 'SubmissionUnknownError';
}

/** A further attempt would have cost more than the budget has left. */
export class BudgetExceededError extends RunFailedError {
  override readonly name = 'BudgetExceededError';
}

/** The task is done and paid for, but its files could not be fetched or stored. */
export class OutputUnavailableError extends RunFailedError {
  override readonly name = 'OutputUnavailableError';
}

/** The run was cancelled; a task that the API had taken goes on there and is paid for. */
export class RunCancelledError extends RunFailedError {
  override readonly name = 'RunCancelledError';
}

/** The run was terminated from outside. */
export class RunTerminatedError extends RunFailedError {
  override readonly name = 'RunTerminatedError';
}

/** The run was started with a time-out of Temporal's, and ran into it. */
export class RunTimedOutError extends RunFailedError {
  override readonly name = 'RunTimedOutError';
}

/** A pipeline ended with a step that did not complete. */
export class PipelineFailedError extends RunFailedError {
  override readonly name = 'PipelineFailedError';

  /** The result of every step that there is; undefined where the pipeline ended before it had any. */
  get result(): PipelineResult | undefined {
    return this.details !== null && 'steps' in this.details ? this.details : undefined;
  }
}

/** By the failure's type, a family's prefix left out. */
const CLASSES: ReadonlyMap<string, new (failure: RunFailure) => RunFailedError> = new Map(
  Object.entries({
    INVALID_REQUEST: InvalidRequestError,
    INVALID_INPUT: InvalidInputError,
    CONTENT_REJECTED: ContentRejectedError,
    INSUFFICIENT_CREDITS: InsufficientCreditsError,
    RATE_LIMITED: RateLimitedError,
    PROVIDER_UNAVAILABLE: ProviderUnavailableError,
    FAILED: TaskFailedError,
    TIMEOUT: TaskTimeoutError,
    UNAUTHORIZED: UnauthorizedError,
    WORKSPACE_FORBIDDEN: WorkspaceForbiddenError,
    TEMPLATE_NOT_FOUND: TemplateNotFoundError,
    TASK_OVERDUE: TaskOverdueError,
    TASK_VANISHED: TaskVanishedError,
    TASK_CANCELED: TaskCanceledError,
    SUBMISSION_UNKNOWN: SubmissionUnknownError,
    BUDGET_EXCEEDED: BudgetExceededError,
    OUTPUT_UNAVAILABLE: OutputUnavailableError,
    PIPELINE_FAILED: PipelineFailedError,
    CANCELLED: RunCancelledError,
    TERMINATED: RunTerminatedError,
    TIMED_OUT: RunTimedOutError,
  } satisfies Record<
    OwnFailureType | GenerationCode | OutsideEnd,
    new (
      failure: RunFailure,
    ) => RunFailedError
  >),
);

/** Ways in which a run is ended from outside. */
type OutsideEnd = 'CANCELLED' | 'TERMINATED' | 'TIMED_OUT';

/** The error of a failure, of the class that goes by its type. */
export function failureError(failure: RunFailure): RunFailedError {
  const FailureClass = CLASSES.get(withoutPrefix(failure.type)) ?? RunFailedError;
  return new FailureClass(failure);
}
