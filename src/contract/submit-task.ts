import type { FieldError } from '../api/field-error.ts';
import type { Usage } from '../api/usage.ts';
import type { Policy } from '../policy/policy.ts';
import type { DarkroomActivities } from './activities.ts';
import type { Ordered, WhyNothing } from './generation.ts';

/** The activities that buy a task, by their names. */
export const SUBMITS: ReadonlySet<string> = new Set<keyof DarkroomActivities>([
  'submitTask',
  'submitFromTemplate',
]);

export interface SubmitTaskInput extends Ordered {
  workspace: string;
  submit: Policy['submit'];
  retries: Policy['retries'];
  vanished: Policy['vanished'];
  /** The first run's id: differs from the current run's after a Reset. */
  firstRunId: string;
  /** A run of this workflow id whose purchases are adopted, named by the caller. */
  earlierRun?: string;
  /** As in the request. */
  adoptOnly?: WhyNothing;
  /** Tasks that this run already knows and is done with. */
  settledTaskIds: string[];
  /** When the unknown submits began that this run has resolved already, in milliseconds since the epoch. */
  resolvedUnknowns?: number[];
}

/**
 * `rerun`: there are earlier runs of this workflow id. It is recorded, because a history that is replayed elsewhere does
 * not tell the id of the run that it belongs to.
 */
export type SubmitTaskResult =
  | { kind: 'accepted'; taskId: string; usage: Usage; adopted: boolean; rerun?: true }
  /** `since`: when the submit began, milliseconds since the epoch by the worker's clock. */
  | { kind: 'unknown'; reason: string; since: number; balance?: BalanceEvidence; rerun?: true };

/** The balance around a submit whose outcome is unknown: others spend from it too, so it proves nothing alone. */
export interface BalanceEvidence {
  before?: BalanceReading;
  after?: BalanceReading;
}

/** Credits available to a workspace, and when that was read (milliseconds since the epoch). */
export interface BalanceReading {
  available: number;
  at: number;
}

/** First detail of the failure that a rejected submit throws. */
export interface RejectionDetails {
  code: string;
  message: string;
  errors?: FieldError[];
  /** The balance right after a refusal for lack of credits, where it could be read. */
  available?: number;
}
