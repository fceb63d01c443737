import type { FieldDigests } from '../../api/input/field-digests.ts';
import type { Claim, ModelShape, TaskGrant } from './claims.ts';

// What `unclaimed-tasks/<workspace>` remembers, and carries over: whatever comes, it is bounded.

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
  /** The workflow that had its name when it was asked for last. */
  namedFor?: string;
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
  extends Pick<
    KeptClaim,
    | 'claimId'
    | 'workflowId'
    | 'firstRunId'
    | 'runId'
    | 'model'
    | 'fields'
    | 'since'
    | 'clockOffset'
    | 'patience'
    | 'paidBy'
  > {
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
