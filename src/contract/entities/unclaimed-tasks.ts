import type { Family } from '../../api/family.ts';
import type { FieldDigests } from '../../api/input/field-digests.ts';
import type { Usage } from '../../api/records/usage.ts';
import type { WireFields } from '../../api/wire.ts';

/**
 * What generations, receivers and `unclaimed-tasks/<workspace>` say to each other about tasks whose submit lost its
 * answer. Ids and digests, never an input: foreign tasks are told of as well, and whatever is kept of them is bounded.
 * Times are milliseconds since the epoch where nothing else is said.
 */

/** A task that no workflow is known to hold. */
export interface TaskNotice {
  taskId: string;
  /** When it was heard of, by the clock of who tells; an event that came later in its life counts from its creation on. */
  arrivedAt: number;
  /** By the clock that dates the API's answers; null where it was not told. */
  createdAt: number | null;
  /** Of its normalized input, by their names on the wire, and of its template. */
  fields: FieldDigests;
  /** The workflow whose submit got this task's id as its answer: only it may claim the task. */
  owner?: string;
  /** The URLs of its files, where the event of its end has told them: its record may have none. */
  artifacts?: string[];
  /** What it costs, where its event has told it: its record may be gone before anybody has read it. */
  credits?: number;
}

/** Argument of the signal `taskCreated`. */
export interface TaskNotices {
  tasks: TaskNotice[];
  /** When they were told, by the same clock: it may be wrong, and is only good for how long ago they were heard of. */
  toldAt: number;
}

/** A task as its event tells of it; handed over as a `TaskNotice`. */
export interface CreatedTask {
  taskId: string;
  webhookId: string;
  /** The normalized input, as the event carried it. */
  input: Record<string, unknown>;
  /** Of the template that it was created from, as the event told it. */
  templateId?: string;
  /** ISO 8601 by the clock that writes the API's records, or null. */
  createdAt: string | null;
  /** How far that one is behind the clock that dates the API's answers, in milliseconds. */
  recordsBehind?: number;
  /** When the receiver got the event, by its clock. */
  receivedAt: number;
  artifacts?: string[];
  credits?: number;
}

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

/** Who holds a task, and what its record tells. */
export type Ownership =
  /** `model`: of the workflow that holds it. */
  | { kind: 'held'; model?: string }
  /** A submit that may be its is in flight. `unverified`: too many are, so that not all were looked at. */
  | { kind: 'in flight'; unverified?: true }
  /** Its record cannot be read: nobody can tell whose it is. */
  | { kind: 'unreadable'; reason: string }
  | {
      kind: 'free';
      /** Where its record tells. */
      family?: Family;
      /** It has failed or was canceled: somebody may have had it, before buying the next one. */
      endedWithoutResult?: true;
      outcome?: SubmitProof['outcome'];
      usage?: Usage;
      /** Of the record's input, where they are others than those that were handed over. */
      fields?: FieldDigests;
    };

/** What keeps `unclaimed-tasks/<workspace>` small. Times in milliseconds in which somebody looked; sizes in bytes. */
export interface UnclaimedTasksLimits {
  /** How long a task that nobody claims is remembered. */
  entryLife: number;
  /** An entry that has to go earlier than this is told of: a claim may come for it. */
  entryLifeAtLeast: number;
  entryBytes: number;
  claimBytes: number;
  /** How long a claim that was given up is remembered: its task may show up after all. */
  formerLife: number;
  formerBytes: number;
  /**
   * How long visibility may take to list what was written: a task whose owner nobody knows is not looked at before, or
   * who is about to hold it may not be seen. By the clock.
   */
  visibilityLag: number;
  /** How often claims of generations that have closed are looked for. */
  claimCheck: number;
  /** Events after which it continues as new. */
  maxHistory: number;
}

/** A task in memory: `[taskId, arrivedAt, createdAt, addedAt, fields, facts]`. */
export type KeptTask = readonly [
  taskId: string,
  arrivedAt: number,
  createdAt: number | null,
  /** In looked time. */
  addedAt: number,
  fields: FieldDigests,
  more?: KeptFacts,
];

/** What else is known of a task in memory. */
export interface KeptFacts {
  owner?: string;
  artifacts?: string[];
  credits?: number;
  endedWithoutResult?: true;
  /** The first run of the purchase that it was granted to. */
  grantedTo?: string;
  /** It was told as the proof of a submit that was given up. */
  told?: true;
}

/** A claim in memory: its model's shape is kept once for all claims of the model. Times are looked time. */
export interface KeptClaim extends Omit<Claim, 'shape'> {
  /** Since when it looks, its whole wait before it. */
  looksFrom: number;
  /** When delayed events make it wait no longer. */
  looksUntilAtMost: number;
  /** It waits anew, because events were delayed or nobody looked for a while. */
  delayed?: true;
  /** Its run knows of nothing to look at, and may ask a person: it is told when there is something. */
  toldNothing?: true;
}

/** A claim that was given up. */
export interface FormerClaim
  extends Pick<KeptClaim, 'claimId' | 'workflowId' | 'firstRunId' | 'runId' | 'model' | 'fields' | 'since'> {
  clockOffset?: number;
  /** In looked time. */
  goneAt: number;
  /** Nobody gave it up: its run has closed. */
  closed?: true;
}

/** What is told of what could not be kept or understood. */
export interface UnclaimedTasksCounts {
  /** Messages that were none. */
  malformed: number;
  /** Tasks that were dropped for lack of room while somebody may have wanted them. */
  evicted: number;
  /** Claims that were not taken for lack of room; each comes again. */
  refused: number;
}

/** The first argument of `unclaimedTasks`: the rest is carried over by continue-as-new. */
export interface UnclaimedTasksState {
  workspace: string;
  /** Other bounds than the usual ones. */
  limits?: Partial<UnclaimedTasksLimits>;
  /** Grants of late, so that a repeated claim or a late withdrawal gets the same answer. */
  granted?: TaskGrant[];
  models?: Record<string, ModelShape>;
  /** Looked time so far, and when that was told. */
  clock?: { looked: number; at: number };
  counts?: UnclaimedTasksCounts;
}

/** A further argument of `unclaimedTasks`: what it remembers is carried over in pages, none of them large. */
export interface UnclaimedTasksPage {
  tasks?: KeptTask[];
  claims?: KeptClaim[];
  former?: FormerClaim[];
}
