import type { Family } from '../../api/family.ts';
import type { FieldError } from '../../api/input/field-error.ts';
import type { Usage } from '../../api/records/usage.ts';
import type { Outlook } from '../../policy/look-pace.ts';
import type { Policy } from '../../policy/policy.ts';
import type { PriceFacts } from '../../policy/prices/price-table.ts';
import type { DarkroomActivities } from '../activities.ts';
import type { GenerationResult } from '../generation.ts';
import type { ParentRun } from '../purchases/parent-run.ts';
import type { Paid } from '../purchases/payers.ts';
import type { SentSeed } from './sent-seed.ts';

/** The activities that buy a task, by their names. */
export const SUBMITS: ReadonlySet<string> = new Set<keyof DarkroomActivities>(['submitTask']);

/** The failure of a submit that is tried again because it cannot be told what was bought before. */
export const UNREADABLE = 'EARLIER_PURCHASE_UNREADABLE';
/** Of one that could not reserve: nobody can tell whether it did, and the next try does, or has. */
export const ACCOUNT_AWAY = 'ACCOUNT_AWAY';
/** Of one that waits for credits which others have reserved. */
export const CREDITS_RESERVED = 'CREDITS_RESERVED';
/** Of one that waits for a cap's next period. */
export const CAP_REACHED = 'CAP_REACHED';

export interface SubmitTaskInput extends LookedBack {
  /** What the workflow was started with. */
  request: unknown;
  /** What its check has come to; absent: it is checked within this submit, before anything else. */
  plan?: Plan | undefined;
  /** In the place of the request's. */
  seed?: number | undefined;
  /** The first run's id: differs from the current run's after a Reset. */
  firstRunId: string;
  /** Whose histories may tell of earlier runs that are deleted. */
  parent?: ParentRun | undefined;
  /** Tasks that this run already knows and is done with. */
  settledTaskIds: string[];
  /** When the unknown submits began that this run has resolved already, in milliseconds since the epoch. */
  resolvedUnknowns?: readonly number[];
  /** When the latest search for the task of an unknown submit was given up, in milliseconds since the epoch. */
  gaveUpAt?: number | undefined;
}

/** What a submit tells its workflow, whatever it comes to, and others by its heartbeats. */
export interface LookedBack {
  /** It was looked for all that earlier runs have bought: what shows itself from here on is of no run before its own. */
  lookedBack?: true | undefined;
}

/** A request that was checked: what follows from its model, who pays, and the whole policy: defaults, configuration, request. */
export interface Plan extends Paid {
  family: Family;
  takesSeed: boolean;
  policy: Policy;
  /** What its price hangs on; absent: nobody can tell. */
  facts?: PriceFacts | undefined;
  /** It was made for a submit that sends the bytes of files. */
  isOfForm?: true;
}

/**
 * `rerun`: there are earlier runs of this workflow id. It is recorded, because a history that is replayed elsewhere does
 * not tell the id of the run that it belongs to. `plan`, `lookedBack`: where the submit was not told.
 */
export type SubmitTaskResult = {
  rerun?: true;
  plan?: Plan;
  lookedBack?: LookedBack['lookedBack'];
} /** `foreign`: an earlier run was given it by a person, in the place of its own: others have bought it. */ & (
  | {
      kind: 'accepted';
      taskId: string;
      usage: Usage;
      adopted: boolean;
      outlook?: Outlook;
      foreign?: true;
    }
  /** An earlier run had completed, which is deleted, or whose task is. `charged`: where no run tells what it has counted. */
  | { kind: 'completed'; result: Omit<GenerationResult, 'charged'> & { charged?: Usage } }
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
      inFlight?: true | undefined;
      /** When an earlier run had put in a claim for its task, in milliseconds since the epoch. */
      claimedAt?: number | undefined;
      /** The run that has submitted it bought again, or tried to: it is looked for once, and nobody is asked. */
      givenUp?: true | undefined;
      /** The store has files that a lost run may have bought: a person decides, whatever the policy says. */
      stored?: true | undefined;
      /** What it was sent with, where that is not what this submit was asked to send. */
      seed?: SentSeed | undefined;
      /** Which one it is, where its worker may still tell that it was never sent. */
      submit?: SubmitName | undefined;
      balance?: BalanceEvidence;
    }
  /** Nothing was sent: nobody can tell what a submit that was given up has bought, now or any more. */
  | { kind: 'forgotten'; reason: string }
  /** Nothing was sent yet: the plan wants other times, or is for a form, and its run has to know that first. */
  | { kind: 'checked' }
);

/** A submit: the activity, and the run that has scheduled it. */
export interface SubmitName {
  /** Undefined as long as the run has not got to know its own id in a way that its history keeps. */
  runId?: string;
  activityId: string;
}

/** The same as one word. */
export const submitKey = ({ runId, activityId }: Required<SubmitName>): string => `${runId} ${activityId}`;

/** The balance around a submit whose outcome is unknown: others spend from it too, so it proves nothing alone. */
export interface BalanceEvidence {
  before?: BalanceReading | undefined;
  after?: BalanceReading | undefined;
}

/** Credits available to a workspace, and when that was read (milliseconds since the epoch). */
export interface BalanceReading {
  available: number;
  at: number;
}

/** First detail of the failure that a rejected submit throws. */
export interface RejectionDetails extends LookedBack {
  code: string;
  message: string;
  errors?: FieldError[];
  /** The balance right after a refusal for lack of credits, where it could be read. */
  available?: number | undefined;
  /** Where the submit was not given one; absent: the request was refused by its check. */
  plan?: Plan | undefined;
}
