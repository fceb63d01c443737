import type { FieldError } from '../../api/input/field-error.ts';
import type { Usage } from '../../api/records/usage.ts';
import type { Outlook } from '../../policy/look-pace.ts';
import type { Policy } from '../../policy/policy.ts';
import type { DarkroomActivities } from '../activities.ts';
import type { GenerationResult, Ordered, WhyNothing } from '../generation.ts';
import type { ParentRun } from '../purchases/parent-run.ts';
import type { Tags } from '../tags.ts';

/** The activities that buy a task, by their names. */
export const SUBMITS: ReadonlySet<string> = new Set<keyof DarkroomActivities>(['submitTask']);

export interface SubmitTaskInput extends Ordered {
  workspace: string;
  submit: Policy['submit'];
  retries: Policy['retries'];
  vanished: Policy['vanished'];
  /** The first run's id: differs from the current run's after a Reset. */
  firstRunId: string;
  /** A run of this workflow id whose purchases are adopted, named by the caller. */
  earlierRun?: string;
  /** Whose histories may tell of earlier runs that are deleted. */
  parent?: ParentRun;
  /** As in the request. */
  adoptOnly?: WhyNothing;
  tags?: Tags;
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
  | { kind: 'accepted'; taskId: string; usage: Usage; adopted: boolean; outlook?: Outlook; rerun?: true }
  /** An earlier run, which is deleted, had completed. */
  | { kind: 'completed'; result: GenerationResult; rerun?: true }
  /**
   * `since`: when the submit began, milliseconds since the epoch by Temporal's clock; `clockOffset`: how far the API's
   * clock is ahead of that one, where the worker that submitted could tell.
   */
  | {
      kind: 'unknown';
      reason: string;
      since: number;
      clockOffset?: number;
      /** Nobody has seen the end of its request: the API may still accept it. */
      inFlight?: true;
      /** When an earlier run had put in a claim for its task, in milliseconds since the epoch. */
      claimedAt?: number;
      /** The run that has submitted it bought again, or tried to: it is looked for once, and nobody is asked. */
      givenUp?: true;
      /** What it was sent with, where that is not what this submit was asked to send; null: what the request has. */
      seed?: number | null;
      /** Which one it is, where its worker may still tell that it was never sent. */
      submit?: SubmitName;
      balance?: BalanceEvidence;
      rerun?: true;
    };

/** A submit: the activity, and the run that has scheduled it. */
export interface SubmitName {
  /** Undefined as long as the run has not got to know its own id in a way that its history keeps. */
  runId?: string;
  activityId: string;
}

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
