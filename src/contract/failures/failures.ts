import { type GenerationCode, withoutPrefix } from '../../api/codes.ts';

/** Failure types of our own. */
export type OwnFailureType =
  | 'TASK_OVERDUE'
  | 'TASK_VANISHED'
  | 'TASK_CANCELED'
  | 'SUBMISSION_UNKNOWN'
  | 'BUDGET_EXCEEDED'
  | 'OUTPUT_UNAVAILABLE'
  | 'INVALID_REQUEST'
  | 'PIPELINE_FAILED';

/** Ways in which a run is ended from outside. */
export const OUTSIDE_ENDS = ['CANCELLED', 'TERMINATED', 'TIMED_OUT'] as const;

type OutsideEnd = (typeof OUTSIDE_ENDS)[number];

/** Every way in which a run can fail that has a page: of ours, of the API (without its prefix), from outside. */
export type FailureType = OwnFailureType | GenerationCode | OutsideEnd;

/** Stands in a setting for more credits than were spent. */
export const CREDITS = '<credits>';

/** What a failure means: in sentences of Markdown that stand alone. */
export interface Failure {
  /** The client's class. */
  error: string;
  /** What has happened. */
  means: string;
  /** What it has cost. */
  paid: string;
  /** Its task may still come to a result: a retry of its pipeline takes that over, a rerun does not. */
  mayStillEnd?: true;
  /** What a person does, and what follows from it. */
  next: string;
  /** The same where no task has come to a result, and the run itself cannot be tried again. */
  nextWithoutTask?: string;
  /**
   * What is tried again: the run as it is (absent), nothing (the same request would fail again), or the run with a
   * setting of its policy. A retry keeps the policy.
   */
  again?: 'nothing' | readonly [setting: string, value: string];
  /** What else the page has on it. */
  more?: string;
}

const NOT_CHARGED = 'Nothing for a refused submit.';
const MAYBE_CHARGED = 'Nothing for a refused submit; what `show` lists for a failed task.';
const EACH_TASK = 'What `show` lists.';
const THE_TASK = 'The task.';
const SPENT_ID = 'under another id if a task was bought';
const BUYS = 'a new task is bought';
const TAKES_OVER = 'Try again to take its task over: nothing is bought twice.';
const KEY = "Correct the workspace's API key (`DARKROOM_API_KEY`), restart the workers, then try again.";

/**
 * What each failure means. From this table come the client's classes and messages, the words of the command line and of
 * the Temporal Web UI, and docs/failures.md (`npm run failures`).
 */
export const FAILURES: Readonly<Record<FailureType, Failure>> = {
  INVALID_REQUEST: {
    error: 'InvalidRequestError',
    means: 'The request is wrong; `errors` names each field.',
    paid: 'Nothing.',
    next: 'Correct the named fields, and start it again, under any id.',
    again: 'nothing',
  },
  INVALID_INPUT: {
    error: 'InvalidInputError',
    means: 'The API refuses the input, for the reason in the message.',
    paid: MAYBE_CHARGED,
    next: `Correct the input, and start it ${SPENT_ID}.`,
    again: 'nothing',
  },
  CONTENT_REJECTED: {
    error: 'ContentRejectedError',
    means: "The API's moderation has rejected the prompt, an input file or the result.",
    paid: MAYBE_CHARGED,
    next: `Change the prompt or the files, and start it ${SPENT_ID}, or allow other seeds (\`policy.retries.CONTENT_REJECTED.resubmissions\`).`,
    again: 'nothing',
  },
  TEMPLATE_NOT_FOUND: {
    error: 'TemplateNotFoundError',
    means: 'The API does not know the template for this model and workspace.',
    paid: NOT_CHARGED,
    next: 'Correct the template, and start it again, under any id.',
    again: 'nothing',
  },
  INSUFFICIENT_CREDITS: {
    error: 'InsufficientCreditsError',
    means: "The balance did not grow within the policy's wait (`retries.INSUFFICIENT_CREDITS.window`).",
    paid: NOT_CHARGED,
    next: 'Top up the credits (`credits` shows the balance), then try again.',
  },
  RATE_LIMITED: {
    error: 'RateLimitedError',
    means:
      'The API has refused submits for longer than the policy waits (`window`), or failed more tasks than `resubmissions`.',
    paid: NOT_CHARGED,
    next: 'Submit less, or wait, then try again.',
    more: '`submit-pace/<workspace>` shows how fast the workspace may submit.',
  },
  FAILED: {
    error: 'TaskFailedError',
    means: 'The API failed the task without a reason, as often as the policy buys another.',
    paid: EACH_TASK,
    next: `Try again: ${BUYS}.`,
  },
  PROVIDER_UNAVAILABLE: {
    error: 'ProviderUnavailableError',
    means: 'The provider behind the API was away for longer than the policy waits.',
    paid: EACH_TASK,
    next: `Try again when it is back: ${BUYS}.`,
  },
  TIMEOUT: {
    error: 'TaskTimeoutError',
    means: 'The task took the API too long, as often as the policy buys another.',
    paid: EACH_TASK,
    next: `Try again: ${BUYS}. If that happens often, ask for less.`,
  },
  UNAUTHORIZED: {
    error: 'UnauthorizedError',
    means: "The API does not know the workspace's key.",
    paid: NOT_CHARGED,
    next: KEY,
  },
  WORKSPACE_FORBIDDEN: {
    error: 'WorkspaceForbiddenError',
    means: 'The key may not use the workspace.',
    paid: NOT_CHARGED,
    next: KEY,
  },
  TASK_OVERDUE: {
    error: 'TaskOverdueError',
    means: 'The task was not done by `policy.deadline`. It may still finish at the API.',
    paid: THE_TASK,
    mayStillEnd: true,
    next: 'Try again to wait for the same task, or to take its result: nothing is bought.',
  },
  TASK_VANISHED: {
    error: 'TaskVanishedError',
    means: 'The API does not know the task any more.',
    paid: THE_TASK,
    mayStillEnd: true,
    next: `Try again: ${BUYS}, unless the old one is there again.`,
    more: 'If other tasks are gone, check the key and `DARKROOM_API_URL` first.',
  },
  TASK_CANCELED: {
    error: 'TaskCanceledError',
    means: 'The task was canceled at the API.',
    paid: EACH_TASK,
    next: `Try again if it was not meant: ${BUYS}.`,
  },
  SUBMISSION_UNKNOWN: {
    error: 'SubmissionUnknownError',
    means:
      "A submit's answer was lost, and no evidence of its task came, or its record could not be read until the deadline.",
    paid: "Nothing, or an unknown task: the API's dashboard may show one of that input and time.",
    mayStillEnd: true,
    next: 'Try again with `resubmit`: it looks for the lost task first, and buys only if it finds none.',
    again: ['policy.reconcile.otherwise', 'resubmit'],
    more: 'A `retry` with `fail` looks once more and fails again.',
  },
  BUDGET_EXCEEDED: {
    error: 'BudgetExceededError',
    means:
      "A submit would have cost more than `policy.budget`, its pipeline's or batch's `budget`, or a cap has left; the message names which, and who holds what is reserved.",
    paid: 'The attempts so far.',
    next: 'Try again with a larger budget: what was bought is taken over if it can be used.',
    again: ['policy.budget.credits', CREDITS],
    more: "A step's rerun stays within its pipeline's; given its own, it only counts there. After a lost submit (`unknown`) a step needs its own rerun first.",
  },
  OUTPUT_UNAVAILABLE: {
    error: 'OutputUnavailableError',
    means:
      'The task is done, but its files are gone, refused by a rule, or could not be stored for `policy.outputs.wait`. Of a step also: an output that it uses can no longer be reached.',
    paid: 'The task, if there is one.',
    mayStillEnd: true,
    next: 'Repair what the message names (the store, `DARKROOM_PRIVATE_OUTPUTS`), then try again: the files of the same task are fetched.',
    nextWithoutTask:
      'Its input can no longer be reached. Make the stored copies reachable (`DARKROOM_PUBLIC_OUTPUTS`), then retry its pipeline.',
    more: 'For an input: make the stored copies reachable (`DARKROOM_PUBLIC_OUTPUTS`), then `retry <pipeline id>`.',
  },
  PIPELINE_FAILED: {
    error: 'PipelineFailedError',
    means:
      "A step has failed; what depends on it was skipped. `show` has each step's task, credits and cause.",
    paid: 'All steps together.',
    next: 'Try again: completed steps are taken over, what has failed is bought again.',
    more: "If something must change, it depends on the step's type: [above](#failures).",
  },
  CANCELLED: {
    error: 'RunCancelledError',
    means: 'The run was cancelled. Its task goes on at the API, which cannot cancel it, and is paid for.',
    paid: "The task, if any: the run's **Memo** has it (`cancelled`).",
    mayStillEnd: true,
    next: TAKES_OVER,
  },
  TERMINATED: {
    error: 'RunTerminatedError',
    means: 'The run was terminated, and could not say what it has bought.',
    paid: EACH_TASK,
    mayStillEnd: true,
    next: TAKES_OVER,
  },
  TIMED_OUT: {
    error: 'RunTimedOutError',
    means: 'The run ran into a timeout of Temporal, which it was started with and does not need.',
    paid: EACH_TASK,
    mayStillEnd: true,
    next: TAKES_OVER,
  },
};

/** What a code of the API means that the specification does not list, and what ends a run in another way. */
const UNLISTED: Failure = { ...FAILURES.FAILED, error: 'RunFailedError' };

/** A step's failure that is named by Temporal: its generation was ended from outside. */
const OF_TEMPORAL: ReadonlyMap<string, OutsideEnd> = new Map([
  ['CancelledFailure', 'CANCELLED'],
  ['TerminatedFailure', 'TERMINATED'],
  ['TimeoutFailure', 'TIMED_OUT'],
]);

/** @param type a run's or a step's: the API's code with or without its prefix, one of ours, one of Temporal's */
export function meaningOf(type: string): Failure {
  const name = OF_TEMPORAL.get(type) ?? withoutPrefix(type);
  return Object.hasOwn(FAILURES, name) ? FAILURES[name as FailureType] : UNLISTED; // looked up just now
}
