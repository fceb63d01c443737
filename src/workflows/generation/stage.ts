import type { FieldError } from '../../api/input/field-error.ts';
import type { Usage } from '../../api/records/usage.ts';
import type { GenerationResult } from '../../contract/generation.ts';
import type { SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import type { StoreReport } from '../../contract/tasks/task-look.ts';
import type { Outlook } from '../../policy/look-pace.ts';
import type { Patience } from '../../policy/patience.ts';
import type { Pace } from '../../policy/policy.ts';

/** A task that the run holds: accepted, claimed or adopted. */
export interface HeldTask {
  taskId: string;
  usage: Usage;
  adopted: boolean;
  outlook?: Outlook | undefined;
  /** When this run got to know it, in milliseconds since the epoch. */
  heldAt: number;
}

/** A submit that may have bought a task, and nobody knows which. */
export type UnknownSubmit = Extract<SubmitTaskResult, { kind: 'unknown' }>;

/** The search for its task. */
export interface Search {
  readonly unknown: UnknownSubmit;
  /** Whether this run has put the claim in; else why it could not, where it has tried. */
  readonly claim: 'not yet' | 'in' | { whyNot: string };
  /** The entity that has taken the claim first, by its first run; and whether another has since, which knows less. */
  readonly entity?: string | undefined;
  readonly isForgotten?: boolean | undefined;
  /** How many looks had begun, by what was heard, when the entity was asked last. */
  readonly begunLooks?: number | undefined;
}

export type Failed = Extract<RunEnd, { kind: 'failed' }>;

export interface Stages {
  submit: Submitting;
  park: Parked;
  reconcile: Reconciling;
  ask: Asking;
  wait: Waiting;
  store: Storing;
  done: Done;
}

/** Where a run is, with what it needs there. */
export type Stage = Stages[keyof Stages];

export interface Submitting {
  readonly at: 'submit';
  /** It looks first for what earlier runs have bought. */
  readonly isRerun?: boolean | undefined;
  /** Not before then, and why. */
  readonly pause?: { readonly until: number; readonly why: string } | undefined;
  /** Until when a task that may be the one keeps it from buying. */
  readonly doubtUntil?: number | undefined;
}

export interface Parked {
  readonly at: 'park';
  readonly parkId: string;
  readonly pace: Pace;
  readonly until: number;
  /** What follows when nobody has paid by then; `rejected`: a submit was refused, not a task. */
  readonly end: Failed & { rejected: boolean };
  readonly price?: number | undefined;
  /** Whether it was released before, and refused again. */
  readonly again: boolean;
  readonly looks: number;
  /** The latest balance, the lowest, and whether the latest was enough: the gate wakes the run, or else the next look does. */
  readonly available?: number | undefined;
  readonly lowest?: number | undefined;
  readonly isEnough: boolean;
  /** Absent: at once. */
  readonly nextAt?: number | undefined;
}

/**
 * `pause`: how long it looks, and `until` when, from the claim on; `why`: what keeps it looking; `lastsSince`: when that was
 * first something that may take as long as the API is away. Times in milliseconds since the epoch.
 */
export interface Reconciling {
  readonly at: 'reconcile';
  readonly search: Search;
  readonly pause: number;
  readonly until?: number | undefined;
  readonly claims: number;
  readonly lastsSince?: number | undefined;
  readonly asked: number;
  readonly why?: string | undefined;
}

/** A person is asked, and the run goes on looking meanwhile. */
export type Asking = AskingAboutSubmit | AskingAboutTask;

/** `why`: what is known of a task that may be the one; `renewAt`: when the claim is put in again. */
export interface AskingAboutSubmit {
  readonly at: 'ask';
  readonly search: Search;
  readonly why?: string | undefined;
  readonly pause: number;
  readonly renewAt: number;
}

export interface AskingAboutTask {
  readonly at: 'ask';
  readonly wait: Waiting;
  readonly why: string;
}

export interface Waiting {
  readonly at: 'wait';
  readonly task: HeldTask;
  /** The next look, and the pause before it. */
  readonly nextAt: number;
  readonly pause: number;
  /** Looks that have settled nothing. */
  readonly quietPolls: number;
  /** The latest event of its end that was looked at, and when it came. */
  readonly seen: number;
  readonly newsAt?: number | undefined;
  /** The task's age when a look last found it open. */
  readonly openAt?: number | undefined;
  /** How long the API has not known it; since when its record cannot be read; how long no GET after the deadline was answered. */
  readonly missing?: Patience | undefined;
  readonly unread?: { since: number; reason: string; times: number; isShown: boolean } | undefined;
  readonly late?: Patience | undefined;
}

/** `report`: what the last of the tries has come to; `pause` and `nextAt`: before the next one. */
export interface Storing {
  readonly at: 'store';
  readonly task: HeldTask;
  readonly report: Exclude<StoreReport, { kind: 'stored' }>;
  readonly tries: number;
  readonly tried?: Patience | undefined;
  /** How long its record has named no file, where no event will. */
  readonly none?: Patience | undefined;
  readonly lostWorkers: number;
  readonly pause: number;
  readonly nextAt: number;
}

/** `task`: one that goes on at the API; `charged`: what this very run has bought, once that is counted. */
export interface Done {
  readonly at: 'done';
  readonly end: RunEnd;
  readonly task?: HeldTask | undefined;
  readonly charged?: Usage | undefined;
}

/** How a run ends; a result without what is counted from the attempts. */
type RunEnd =
  | { kind: 'completed'; result: Omit<GenerationResult, 'usage' | 'charged' | 'attempts'> }
  | { kind: 'failed'; type: string; message: string; errors?: FieldError[] | undefined }
  | { kind: 'cancelled' };
