import type { GenerationCode } from '../api/codes.ts';

/** Grows from `initial` by `factor` up to `max`, all within `window`; times in milliseconds. */
export interface Pace {
  initial: number;
  factor: number;
  max: number;
  window: number;
}

/** What follows one error code: the pace of the retries, and how many further tasks a failed one may cost. */
export interface Retry extends Pace {
  resubmissions: number;
}

/** What to do when nobody can tell whether a task was bought. */
export type Otherwise = 'ask' | 'resubmit' | 'fail';

/** The whole policy of a generation, resolved: every time in milliseconds. */
export interface Policy {
  /** From the moment the run knows its task to its terminal record. */
  deadline: number;
  polling: { first: number; factor: number; max: number };
  submit: { timeout: number; heartbeat: number };
  reconcile: { wait: number; otherwise: Otherwise };
  /** How long a 404 for a task that we hold is waited out. */
  vanished: { wait: number };
  retries: Record<GenerationCode, Retry>;
  budget?: { credits: number };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const NEVER: Retry = { initial: 2 * SECOND, factor: 2, max: MINUTE, window: HOUR, resubmissions: 0 };

/** The policy table's defaults: docs/policy.md explains each row. */
export const DEFAULT_POLICY: Policy = {
  deadline: 30 * MINUTE,
  polling: { first: 10 * SECOND, factor: 1.5, max: 2 * MINUTE },
  submit: { timeout: MINUTE, heartbeat: 10 * SECOND },
  reconcile: { wait: MINUTE, otherwise: 'ask' },
  vanished: { wait: 2 * MINUTE },
  retries: {
    RATE_LIMITED: { initial: 2 * SECOND, factor: 2, max: MINUTE, window: HOUR, resubmissions: 5 },
    PROVIDER_UNAVAILABLE: {
      initial: 5 * SECOND,
      factor: 2,
      max: 5 * MINUTE,
      window: 2 * HOUR,
      resubmissions: 3,
    },
    TIMEOUT: { ...NEVER, resubmissions: 1 },
    FAILED: { ...NEVER, resubmissions: 1 },
    INSUFFICIENT_CREDITS: {
      initial: 30 * SECOND,
      factor: 1.5,
      max: 5 * MINUTE,
      window: 24 * HOUR,
      resubmissions: 10,
    },
    CONTENT_REJECTED: NEVER,
    INVALID_INPUT: NEVER,
    UNAUTHORIZED: NEVER,
    WORKSPACE_FORBIDDEN: NEVER,
    TEMPLATE_NOT_FOUND: NEVER,
  },
};
