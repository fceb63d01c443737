/**
 * What generations, the receiver and `unclaimed-tasks/<workspace>` say to each other about tasks whose submit
 * lost its answer. Plain types: activities and the receiver use them too.
 */

/** A generation that may have bought a task and does not know which. */
export interface Claim {
  /** Unique for one unknown submit of one run. */
  claimId: string;
  workflowId: string;
  runId: string;
  model: string;
  /** The body as it was sent, by its wire names. */
  body: Record<string, unknown>;
  /** When the submit began, by the worker's clock, in milliseconds since the epoch. */
  since: number;
  /** Tasks that the run has had already: their events may come late. */
  known?: string[];
  /** How long the generation looks for its task, in milliseconds. */
  wait?: number;
  /** From when on a task that has failed will do (ms since the epoch); set when the claim arrives. */
  lastResortAt?: number;
  /** Until when it looks on whatever its generation says, because events were held up (ms since the epoch). */
  looksUntil?: number;
  /** Beyond which nothing holds it up (ms since the epoch); set when the claim arrives. */
  looksUntilAtMost?: number;
}

/** A task that the API says was created and that nobody is known to hold. */
export interface CreatedTask {
  taskId: string;
  webhookId: string;
  /** The normalized input, as the event carried it. */
  input: Record<string, unknown>;
  /** ISO 8601 by the API's clock, or null. */
  createdAt: string | null;
  /** When the receiver got the event, by its clock, in milliseconds since the epoch. */
  receivedAt: number;
}

/** Argument of the signal `taskCreated`. With an owner, only that workflow may claim the task. */
export interface CreatedTaskNotice {
  task: CreatedTask;
  owner?: string;
}

export interface TaskGrant {
  claimId: string;
  taskId: string;
}

/** What `unclaimed-tasks/<workspace>` remembers of a created task. */
export interface UnclaimedEntry extends CreatedTaskNotice {
  expiresAt: number;
  /** It has failed or was canceled: perhaps some generation's that has bought another one since. */
  isSpent?: true;
}

/** What keeps `unclaimed-tasks/<workspace>` small. Times in milliseconds. */
export interface UnclaimedTasksLimits {
  /** How long a task that nobody claims is remembered. */
  entryLife: number;
  maxEntries: number;
  /** All entries together, as JSON: a workflow's argument is limited to 2 MB. */
  maxCharacters: number;
  /** How often claims of generations that have closed are looked for. */
  claimCheck: number;
  /** Events after which it continues as new. */
  maxHistory: number;
}

/** The argument of `unclaimedTasks`: the rest is carried over by continue-as-new. */
export interface UnclaimedTasksState {
  workspace: string;
  entries?: UnclaimedEntry[];
  claims?: Claim[];
  /** Other bounds than the usual ones. */
  limits?: Partial<UnclaimedTasksLimits>;
  /** Grants of late, so that a repeated claim or a late withdrawal gets the same answer. */
  granted?: TaskGrant[];
}

/** One of the update `withdrawClaims`. */
export interface Withdrawal {
  claimId: string;
  /** Ends the claim even if a task might still be granted. */
  force: boolean;
  /** How long another submit can be in flight, in milliseconds: a task that waits longer for one is given up. */
  patience: number;
}

/**
 * How a withdrawal ended: the claim had been granted that task; it is gone; it stays, because there is a task that
 * may be its, whose owner is not settled yet, or for so many milliseconds, because events were held up on their way;
 * or it was never there, because another run had put it in before a Reset.
 */
export type WithdrawalEnd =
  | { kind: 'granted'; taskId: string }
  | { kind: 'gone' }
  | { kind: 'unsettled' }
  | { kind: 'held up'; wait: number }
  | { kind: 'not there' };

/**
 * What is known of who holds a task: nobody, a workflow, or perhaps a generation whose answer is on its way. A spent
 * one has failed or was canceled: nobody holds it now, but somebody may have, before buying the next one.
 */
export interface Ownership {
  kind: 'free' | 'spent' | 'held' | 'in flight';
}
