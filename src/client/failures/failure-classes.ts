/** Written by `npm run failures` from the table in the contract; not to be edited. */
import { RunFailedError } from './run-failed-error.ts';

/** The request is wrong; `errors` names each field. */
export class InvalidRequestError extends RunFailedError {
  override readonly name = 'InvalidRequestError';
}

/** The API refuses the input, for the reason in the message. */
export class InvalidInputError extends RunFailedError {
  override readonly name = 'InvalidInputError';
}

/** The API's moderation has rejected the prompt, an input file or the result. */
export class ContentRejectedError extends RunFailedError {
  override readonly name = 'ContentRejectedError';
}

/** The API does not know the template for this model and workspace. */
export class TemplateNotFoundError extends RunFailedError {
  override readonly name = 'TemplateNotFoundError';
}

/** The balance did not grow within the policy's wait (`retries.INSUFFICIENT_CREDITS.window`). */
export class InsufficientCreditsError extends RunFailedError {
  override readonly name = 'InsufficientCreditsError';
}

/** The API has refused submits for longer than the policy waits (`window`), or failed more tasks than `resubmissions`. */
export class RateLimitedError extends RunFailedError {
  override readonly name = 'RateLimitedError';
}

/** The API failed the task without a reason, as often as the policy buys another. */
export class TaskFailedError extends RunFailedError {
  override readonly name = 'TaskFailedError';
}

/** The provider behind the API was away for longer than the policy waits. */
export class ProviderUnavailableError extends RunFailedError {
  override readonly name = 'ProviderUnavailableError';
}

/** The task took the API too long, as often as the policy buys another. */
export class TaskTimeoutError extends RunFailedError {
  override readonly name = 'TaskTimeoutError';
}

/** The API does not know the workspace's key. */
export class UnauthorizedError extends RunFailedError {
  override readonly name = 'UnauthorizedError';
}

/** The key may not use the workspace. */
export class WorkspaceForbiddenError extends RunFailedError {
  override readonly name = 'WorkspaceForbiddenError';
}

/** The task was not done by `policy.deadline`. It may still finish at the API. */
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

/** A submit's answer was lost, and no evidence of its task came, or its record could not be read until the deadline. */
export class SubmissionUnknownError extends RunFailedError {
  override readonly name = 'SubmissionUnknownError';
}

/** A submit would have cost more than `policy.budget`, its pipeline's or batch's `budget`, or a cap has left; the message names which, and who holds what is reserved. */
export class BudgetExceededError extends RunFailedError {
  override readonly name = 'BudgetExceededError';
}

/** The task is done, but its files are gone, refused by a rule, or could not be stored for `policy.outputs.wait`. Of a step also: an output that it uses can no longer be reached. */
export class OutputUnavailableError extends RunFailedError {
  override readonly name = 'OutputUnavailableError';
}

/** A step has failed; what depends on it was skipped. `show` has each step's task, credits and cause. */
export class PipelineFailedError extends RunFailedError {
  override readonly name = 'PipelineFailedError';
}

/** The run was cancelled. Its task goes on at the API, which cannot cancel it, and is paid for. */
export class RunCancelledError extends RunFailedError {
  override readonly name = 'RunCancelledError';
}

/** The run was terminated, and could not say what it has bought. */
export class RunTerminatedError extends RunFailedError {
  override readonly name = 'RunTerminatedError';
}

/** The run ran into a timeout of Temporal, which it was started with and does not need. */
export class RunTimedOutError extends RunFailedError {
  override readonly name = 'RunTimedOutError';
}
