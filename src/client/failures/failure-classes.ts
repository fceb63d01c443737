/** Written by `npm run failures` from the table in the contract; not to be edited. */
import { RunFailedError } from './run-failed-error.ts';

/** The request is wrong: an unknown model, a field that does not fit, a circle in a pipeline. `errors` names each field. */
export class InvalidRequestError extends RunFailedError {
  override readonly name = 'InvalidRequestError';
}

/** The API refuses the input, at the submit or as the end of the task. The message is its own. */
export class InvalidInputError extends RunFailedError {
  override readonly name = 'InvalidInputError';
}

/** The API's moderation has rejected the prompt, an input file or what was made of them. */
export class ContentRejectedError extends RunFailedError {
  override readonly name = 'ContentRejectedError';
}

/** The API does not know the template, or not for this model and workspace. */
export class TemplateNotFoundError extends RunFailedError {
  override readonly name = 'TemplateNotFoundError';
}

/** The balance did not grow for as long as the policy waits for it (`retries.INSUFFICIENT_CREDITS.window`). */
export class InsufficientCreditsError extends RunFailedError {
  override readonly name = 'InsufficientCreditsError';
}

/** The API has refused submits for longer than the policy waits (`window`), or tasks have failed with it more often than `resubmissions`. */
export class RateLimitedError extends RunFailedError {
  override readonly name = 'RateLimitedError';
}

/** The task failed at the API for no reason that it gives, as often as the policy buys another one. */
export class TaskFailedError extends RunFailedError {
  override readonly name = 'TaskFailedError';
}

/** What the API itself relies on was away for longer than the policy waits. */
export class ProviderUnavailableError extends RunFailedError {
  override readonly name = 'ProviderUnavailableError';
}

/** The API gave the task up as taking too long, as often as the policy buys another one. */
export class TaskTimeoutError extends RunFailedError {
  override readonly name = 'TaskTimeoutError';
}

/** The API does not know the workspace's key: it was revoked, or mistyped. */
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

/** The API does not know the task any more that it has sold. */
export class TaskVanishedError extends RunFailedError {
  override readonly name = 'TaskVanishedError';
}

/** The task was canceled at the API. */
export class TaskCanceledError extends RunFailedError {
  override readonly name = 'TaskCanceledError';
}

/** The answer to a submit got lost, no evidence of its task came, and the policy or a person has given up. */
export class SubmissionUnknownError extends RunFailedError {
  override readonly name = 'SubmissionUnknownError';
}

/** A submit would have cost more than `policy.budget`, its pipeline's or batch's `budget`, or a cap of the workers' configuration has left; the message names which. */
export class BudgetExceededError extends RunFailedError {
  override readonly name = 'BudgetExceededError';
}

/** The task is done, but its files are gone, refused by a rule, or could not be fetched or stored for `policy.outputs.wait`. Of a step, also: an output that it uses can no longer be reached. */
export class OutputUnavailableError extends RunFailedError {
  override readonly name = 'OutputUnavailableError';
}

/** A step of a pipeline has failed; what depends on it was skipped. `show` has every step's task, credits and cause. */
export class PipelineFailedError extends RunFailedError {
  override readonly name = 'PipelineFailedError';
}

/** The run was cancelled. The API has no call to cancel a task: one that it has taken goes on and is paid for. */
export class RunCancelledError extends RunFailedError {
  override readonly name = 'RunCancelledError';
}

/** The run was terminated from outside. It could not say what it has bought; its history can. */
export class RunTerminatedError extends RunFailedError {
  override readonly name = 'RunTerminatedError';
}

/** The run ran into a timeout of Temporal's own, with which it was started and which it does not need. */
export class RunTimedOutError extends RunFailedError {
  override readonly name = 'RunTimedOutError';
}
