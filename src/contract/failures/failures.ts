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
  /** Whether its task may still come to a result: a retry of its pipeline takes that over, a rerun does not. */
  mayStillEnd: boolean;
  /** What a person does, and what follows from it. */
  next: string;
  /** The same where no task has come to a result, and the run itself cannot be tried again. */
  nextWithoutTask?: string;
  /**
   * What is tried again: nothing (the same request would fail again), the run as it is, or the run with a setting of
   * its policy. A retry keeps the policy.
   */
  again: 'nothing' | 'the run' | readonly [setting: string, value: string];
  /** What else the page has on it. */
  more?: string;
}

const NOT_CHARGED = 'Nothing: the submit was refused.';
const MAYBE_CHARGED =
  'Nothing where the submit was refused; a task that failed may have been charged: `show` lists it.';
const EACH_TASK = 'Each task that failed may have been charged: `show` lists them.';
const THE_TASK = 'The task: it was charged when it was submitted.';
const SPENT_ID = 'under another id where a task was bought';
const BUYS = 'a new task is bought';
const TAKES_OVER = 'Try again to take its task over: nothing is bought twice.';
const KEY =
  "Put the workspace's API key right (`DARKROOM_API_KEY`, `DARKROOM_CONFIG`), restart the workers, then try again.";

/**
 * What each failure means. From this table come the client's classes and messages, the words of the command line and of
 * the Temporal Web UI, and docs/failures.md (`npm run failures`).
 */
export const FAILURES: Readonly<Record<FailureType, Failure>> = {
  INVALID_REQUEST: {
    error: 'InvalidRequestError',
    means:
      'The request is wrong: an unknown model, a field that does not fit, a circle in a pipeline. `errors` names each field.',
    paid: 'Nothing: the API was not asked.',
    mayStillEnd: false,
    next: 'Correct the fields that are named, and start it again, under the same id or another one.',
    again: 'nothing',
  },
  INVALID_INPUT: {
    error: 'InvalidInputError',
    means: 'The API refuses the input, at the submit or as the end of the task. The message is its own.',
    paid: MAYBE_CHARGED,
    mayStillEnd: false,
    next: `The same input would fail again: correct it, and start it ${SPENT_ID}.`,
    again: 'nothing',
  },
  CONTENT_REJECTED: {
    error: 'ContentRejectedError',
    means: "The API's moderation has rejected the prompt, an input file or what was made of them.",
    paid: MAYBE_CHARGED,
    mayStillEnd: false,
    next: `Change the prompt or the files, and start it ${SPENT_ID}. \`policy.retries.CONTENT_REJECTED.resubmissions\` allows further tries with other seeds.`,
    again: 'nothing',
  },
  TEMPLATE_NOT_FOUND: {
    error: 'TemplateNotFoundError',
    means: 'The API does not know the template, or not for this model and workspace.',
    paid: NOT_CHARGED,
    mayStillEnd: false,
    next: 'Correct the template, and start it again, under the same id or another one.',
    again: 'nothing',
  },
  INSUFFICIENT_CREDITS: {
    error: 'InsufficientCreditsError',
    means:
      'The balance did not grow for as long as the policy waits for it (`retries.INSUFFICIENT_CREDITS.window`).',
    paid: 'Nothing for the submits that were refused.',
    mayStillEnd: false,
    next: 'Top up the credits at the API (`credits` shows the balance), then try again.',
    again: 'the run',
  },
  RATE_LIMITED: {
    error: 'RateLimitedError',
    means:
      'The API has refused submits for longer than the policy waits (`window`), or tasks have failed with it more often than `resubmissions`.',
    paid: 'Nothing for the submits that were refused.',
    mayStillEnd: false,
    next: 'Submit less, or wait, then try again.',
    again: 'the run',
    more: 'The workflow `submit-pace/<workspace>` shows how fast the workspace may submit now.',
  },
  FAILED: {
    error: 'TaskFailedError',
    means: 'The task failed at the API for no reason that it gives, as often as the policy buys another one.',
    paid: EACH_TASK,
    mayStillEnd: false,
    next: `Try again: ${BUYS}.`,
    again: 'the run',
  },
  PROVIDER_UNAVAILABLE: {
    error: 'ProviderUnavailableError',
    means: 'What the API itself relies on was away for longer than the policy waits.',
    paid: EACH_TASK,
    mayStillEnd: false,
    next: `Try again when it is back: ${BUYS}.`,
    again: 'the run',
  },
  TIMEOUT: {
    error: 'TaskTimeoutError',
    means: 'The API gave the task up as taking too long, as often as the policy buys another one.',
    paid: EACH_TASK,
    mayStillEnd: false,
    next: `Try again: ${BUYS}. Where it happens often, ask for less (shorter, smaller).`,
    again: 'the run',
  },
  UNAUTHORIZED: {
    error: 'UnauthorizedError',
    means: "The API does not know the workspace's key: it was revoked, or mistyped.",
    paid: NOT_CHARGED,
    mayStillEnd: false,
    next: KEY,
    again: 'the run',
  },
  WORKSPACE_FORBIDDEN: {
    error: 'WorkspaceForbiddenError',
    means: 'The key may not use the workspace.',
    paid: NOT_CHARGED,
    mayStillEnd: false,
    next: KEY,
    again: 'the run',
  },
  TASK_OVERDUE: {
    error: 'TaskOverdueError',
    means: 'The task was not done by `policy.deadline`. It may still finish at the API.',
    paid: THE_TASK,
    mayStillEnd: true,
    next: 'Try again to wait for the same task, or to take its result: nothing is bought.',
    again: 'the run',
  },
  TASK_VANISHED: {
    error: 'TaskVanishedError',
    means: 'The API does not know the task any more that it has sold.',
    paid: THE_TASK,
    mayStillEnd: true,
    next: `Try again: ${BUYS}, unless the old one is there again.`,
    again: 'the run',
    more: 'Where other tasks are gone as well, look at the key and `DARKROOM_API_URL` first.',
  },
  TASK_CANCELED: {
    error: 'TaskCanceledError',
    means: 'The task was canceled at the API.',
    paid: 'What the API charges for it: `show` tells.',
    mayStillEnd: false,
    next: `Try again if it was not meant: ${BUYS}.`,
    again: 'the run',
  },
  SUBMISSION_UNKNOWN: {
    error: 'SubmissionUnknownError',
    means:
      'The answer to a submit got lost, no evidence of its task came, and the policy or a person has given up.',
    paid: "Nothing, or a task that is not known: look into the API's dashboard for one of that input and time.",
    mayStillEnd: true,
    next: 'Try again with `resubmit`: it looks for the lost task first, and buys only where it finds none.',
    again: ['policy.reconcile.otherwise', 'resubmit'],
    more: 'A retry keeps the policy: where that says `fail`, it looks once more and fails again.',
  },
  BUDGET_EXCEEDED: {
    error: 'BudgetExceededError',
    means:
      "A submit would have cost more than `policy.budget`, its pipeline's or batch's `budget`, or a cap of the workers' configuration has left; the message names which.",
    paid: 'The attempts so far: `show` lists them.',
    mayStillEnd: false,
    next: 'Try again with a larger budget: what was bought and can be used is taken over.',
    again: ['policy.budget.credits', CREDITS],
    more: "A budget is for the id: what all its runs have spent counts. A step's own rerun stays within its pipeline's budget, until it is given one of its own.",
  },
  OUTPUT_UNAVAILABLE: {
    error: 'OutputUnavailableError',
    means:
      'The task is done, but its files are gone, refused by a rule, or could not be fetched or stored for `policy.outputs.wait`. Of a step, also: an output that it uses can no longer be reached.',
    paid: 'The task, if there is one.',
    mayStillEnd: true,
    next: 'Repair what the message names (the store, `DARKROOM_PRIVATE_OUTPUTS`), then try again: the files of the same task are fetched, nothing is bought.',
    nextWithoutTask:
      'Its input can no longer be reached. Make the stored copies reachable (`DARKROOM_PUBLIC_OUTPUTS`), then retry its pipeline.',
    again: 'the run',
    more: 'Where an input cannot be reached: make the stored copies reachable (`DARKROOM_PUBLIC_OUTPUTS`), then `retry <pipeline id>`.',
  },
  PIPELINE_FAILED: {
    error: 'PipelineFailedError',
    means:
      "A step of a pipeline has failed; what depends on it was skipped. `show` has every step's task, credits and cause.",
    paid: 'All steps together, those that completed as well.',
    mayStillEnd: false,
    next: 'Try again: completed steps are taken over, what has failed is bought again.',
    again: 'the run',
    more: "Where something has to be changed goes by the step's type: [above](#failures).",
  },
  CANCELLED: {
    error: 'RunCancelledError',
    means:
      'The run was cancelled. The API has no call to cancel a task: one that it has taken goes on and is paid for.',
    paid: "The task, if there was one: the run's **Memo** has it (`cancelled`).",
    mayStillEnd: true,
    next: TAKES_OVER,
    again: 'the run',
  },
  TERMINATED: {
    error: 'RunTerminatedError',
    means: 'The run was terminated from outside. It could not say what it has bought; its history can.',
    paid: 'What its history shows: `show` lists it.',
    mayStillEnd: true,
    next: TAKES_OVER,
    again: 'the run',
  },
  TIMED_OUT: {
    error: 'RunTimedOutError',
    means:
      "The run ran into a timeout of Temporal's own, with which it was started and which it does not need.",
    paid: 'What its history shows: `show` lists it.',
    mayStillEnd: true,
    next: TAKES_OVER,
    again: 'the run',
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
