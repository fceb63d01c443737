import type { Family } from '../../api/family.ts';
import type { FieldDigests } from '../../api/input/field-digests.ts';
import type { Usage } from '../../api/records/usage.ts';
import type { WireFields } from '../../api/wire.ts';

// What generations and `unclaimed-tasks/<workspace>` say to each other about submits that lost their answers. Ids and
// digests, never an input. Times are milliseconds since the epoch where nothing else is said.

/** What tells the tasks of one model from those of others. */
export interface ModelShape {
  family: Family;
  takes: WireFields;
}

/** A generation that may have bought a task and does not know which. Argument of the signal `claimRequested`. */
export interface Claim {
  /** One for each unknown submit; begins with the first run's id, so that a run knows its own and its Resets'. */
  claimId: string;
  workflowId: string;
  /** Of the purchase: a Reset's run has the same. A workflow id that is started anew has another one. */
  firstRunId: string;
  runId: string;
  model: string;
  shape: ModelShape;
  /** Of the body as it was sent, by their names on the wire, and of the template that it named. */
  fields: FieldDigests;
  /** When the submit began, by Temporal's clock. */
  since: number;
  /** How far the API's clock is ahead of that one, in milliseconds. */
  clockOffset?: number;
  /** Tasks that the run has had already, the latest ones: their events may come late. */
  known?: string[];
  /** The workflows whose budgets pay for its task. */
  paidBy?: string[];
  /** How long the generation looks for its task, in milliseconds. */
  wait: number;
  /** How long another submit can be in flight, in milliseconds: a task that waits longer for one is given up. */
  patience: number;
}

/** What a submit has sent, and when at the earliest. */
export type SubmitShape = Pick<Claim, 'workflowId' | 'model' | 'shape' | 'fields' | 'since'>;

/**
 * The id of the claim for an unknown submit: the same for every run of a purchase, a Reset's too, and another one for each
 * submit.
 *
 * @param since when the submit began
 */
export function claimIdOf(firstRunId: string, since: number): string {
  return `${firstRunId}.${Math.round(since).toString(36)}`;
}

/** When the submit of a claim began, by the claim's id; undefined where that does not tell it. */
export function submitTimeOf(claimId: string): number | undefined {
  const since = Number.parseInt(claimId.slice(claimId.lastIndexOf('.') + 1), 36);
  return Number.isNaN(since) ? undefined : since;
}

/** Argument of the signal `taskGranted`. */
export interface TaskGrant {
  claimId: string;
  taskId: string;
  artifacts?: string[];
  credits?: number;
}

/** Argument of the signal `submitProven`: an unknown submit that was given up has bought this task after all. */
export interface SubmitProof {
  claimId: string;
  taskId: string;
  usage: Usage;
  /** How the task has ended, where it has. */
  outcome?: 'completed' | 'failed' | 'canceled';
}

/**
 * How a claim is to end:
 * - `look`: it stays; what may still come for it?
 * - `give up`: it ends, unless something may still come
 * - `buy again`: the same, on a person's word, which does not wait for delayed events
 * - `abandon`: it ends in any case, and the submit stays unknown
 * - `settled`: it ends in any case: the run knows its task
 */
export type WithdrawalKind = 'look' | 'give up' | 'buy again' | 'abandon' | 'settled';

/** One of the update `withdrawClaims`. */
export interface Withdrawal {
  claimId: string;
  as: WithdrawalKind;
  /** A task that it was granted, and that another run has got since: the claim is open again once it is put in anew. */
  notOurs?: string;
}

/** How a withdrawal ended. */
export type WithdrawalEnd =
  | { kind: 'granted'; taskId: string }
  | { kind: 'gone' }
  /** The answer to `look`: nothing that is known of may be this claim's. */
  | { kind: 'nothing' }
  /** It stays. */
  | Looking
  /** Nobody knows of it: it is to be put in again. */
  | { kind: 'not there' }
  /** What was heard of tasks since the submit began is lost: that nothing is known of one tells nothing. */
  | { kind: 'forgotten'; why: string };

/**
 * Something may still come for a claim, be it open or given up: nothing is bought meanwhile, and nobody is asked. Asked
 * again after `wait` milliseconds. `lasting`: it may take as long as the API is away, or for ever; people are told.
 */
export interface Looking {
  kind: 'looking';
  wait: number;
  why: string;
  lasting: boolean;
}

/** Argument of the signal `lookBegun`: a claim that was told `nothing` may have a task after all. */
export interface BegunLook {
  claimId: string;
}
