import type { GenerationCode } from '../api/codes.ts';

/** Grows from `initial` by `factor` up to `max`, all within `window`; times in milliseconds. */
export interface Pace {
  initial: number;
  factor: number;
  max: number;
  window: number;
}

/**
 * What follows a submit that the API rejected: `retry` in place, paced by the row; `park` until there are credits;
 * `new seed`: another submit with another seed; `fail`.
 */
type SubmitAction = 'retry' | 'park' | 'new seed' | 'fail';

/** What follows a task that failed: a further task (`resubmit`, `new seed`), `park` before one, or `fail`. */
type TaskAction = 'resubmit' | 'new seed' | 'park' | 'fail';

/** One row of the policy's table: what follows an error code, how fast, and how many further tasks it may cost. */
interface Row extends Pace {
  resubmissions: number;
  onSubmit: SubmitAction;
  onTask: TaskAction;
  /** Whether a refusal slows the submits of its whole workspace down. */
  slowsWorkspace?: true;
}

/** What to do when nobody can tell whether a task was bought. */
export type Otherwise = 'ask' | 'resubmit' | 'fail';

/** The first pause, by how much the next ones grow, and the longest; times in milliseconds. */
export interface Growth {
  first: number;
  factor: number;
  max: number;
}

/** How a task is looked at whose end no event has told: as given, else by whether the webhooks arrive. */
export interface Polling extends Partial<Growth> {
  webhooks: Growth;
  none: Growth;
}

/** The whole policy of a generation, resolved: every time in milliseconds. */
export interface Policy {
  /** From the moment the run knows its task to its terminal record. */
  deadline: number;
  polling: Polling;
  submit: { timeout: number; heartbeat: number };
  reconcile: { wait: number; otherwise: Otherwise };
  /** How long a 404 for a task that we hold is waited out. */
  vanished: { wait: number };
  /** How long files that cannot be fetched or stored yet are tried for. */
  outputs: { wait: number };
  retries: Record<GenerationCode, Row>;
  budget?: { credits: number };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const FAIL: Omit<Row, 'onTask'> = {
  initial: 2 * SECOND,
  factor: 2,
  max: MINUTE,
  window: HOUR,
  resubmissions: 0,
  onSubmit: 'fail',
};

/** The policy table's defaults: docs/policy.md explains each row. */
export const DEFAULT_POLICY: Policy = {
  deadline: 30 * MINUTE,
  polling: {
    webhooks: { first: MINUTE, factor: 2, max: 10 * MINUTE },
    none: { first: 2 * SECOND, factor: 1.2, max: 2 * MINUTE },
  },
  submit: { timeout: MINUTE, heartbeat: 10 * SECOND },
  reconcile: { wait: MINUTE, otherwise: 'ask' },
  vanished: { wait: 2 * MINUTE },
  outputs: { wait: 24 * HOUR },
  retries: {
    RATE_LIMITED: { ...FAIL, resubmissions: 5, onSubmit: 'retry', onTask: 'resubmit', slowsWorkspace: true },
    PROVIDER_UNAVAILABLE: {
      initial: 5 * SECOND,
      factor: 2,
      max: 5 * MINUTE,
      window: 2 * HOUR,
      resubmissions: 3,
      onSubmit: 'retry',
      onTask: 'resubmit',
    },
    // As a submit's own answer these two leave open whether a task was made: see api/client/submit-outcome.ts.
    TIMEOUT: { ...FAIL, resubmissions: 1, onTask: 'resubmit' },
    FAILED: { ...FAIL, resubmissions: 1, onTask: 'resubmit' },
    INSUFFICIENT_CREDITS: {
      initial: 30 * SECOND,
      factor: 1.5,
      max: 5 * MINUTE,
      window: 24 * HOUR,
      resubmissions: 10,
      onSubmit: 'park',
      onTask: 'park',
    },
    CONTENT_REJECTED: { ...FAIL, onSubmit: 'new seed', onTask: 'new seed' },
    INVALID_INPUT: { ...FAIL, onTask: 'resubmit' },
    UNAUTHORIZED: { ...FAIL, onTask: 'resubmit' },
    WORKSPACE_FORBIDDEN: { ...FAIL, onTask: 'resubmit' },
    TEMPLATE_NOT_FOUND: { ...FAIL, onTask: 'resubmit' },
  },
};
