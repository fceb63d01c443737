import type { FieldError } from '../api/input/field-error.ts';
import type { OutputAsset } from '../api/records/output-assets.ts';
import type { Usage } from '../api/records/usage.ts';
import type { BudgetAbove } from './purchases/payers.ts';
import type { Tags } from './tags.ts';

/** The one argument of the workflow `generation`. */
export interface GenerationRequest {
  /** A model's id in the registry, e.g. `image-l`. */
  model: string;
  /** The model's fields by the registry's names. */
  input: Record<string, unknown>;
  /** A template of the API, which completes the input: what the template has, the input may leave open. */
  templateId?: string;
  /** Picks API key, webhook secrets and fairness key; `default` when absent. */
  workspace?: string;
  /** Any subset of the policy; durations as text or milliseconds. */
  policy?: unknown;
  /** The caller's own words, for caps and costs. */
  tags?: Tags;
  /** Where a signed word goes when the run has ended. */
  callback?: string;
  /** A run of this same workflow id to adopt purchases from. */
  earlierRun?: string;
  /** Why nothing may be bought: what earlier runs have bought is adopted, and where there is nothing, the run fails with this. */
  adoptOnly?: WhyNothing;
  /** Budgets of the pipeline and the batch that it is a part of. */
  budgetsAbove?: BudgetAbove[];
  /** How long sources last that are heard or seen as they run, by field, as far as is known: what it costs may hang on that. */
  sourceSeconds?: Record<string, number>;
}

/** Why a generation buys nothing. */
export interface WhyNothing {
  type: (typeof WHY_NOTHING)[number];
  message: string;
}

/** What is bought: what makes one generation another one. */
export type Ordered = Pick<GenerationRequest, 'model' | 'input' | 'templateId'>;

export type AttemptOutcome =
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'overdue'
  | 'vanished'
  | 'rejected'
  | 'unknown';

/** One task that was bought or may have been, or one submit that was rejected for good. */
export interface Attempt {
  /** Null for `rejected` and `unknown`. */
  taskId: string | null;
  outcome: AttemptOutcome;
  /** The API's code, with its prefix; null where there is none. */
  code: string | null;
  usage: Usage;
  /** `webhook` if a signal for the task had arrived when a GET settled it, else `poll`; null without a task. */
  settledBy: 'webhook' | 'poll' | null;
  /** Whether the task was found by a claim or in an earlier run, instead of in a submit's answer. */
  adopted: boolean;
}

/** Where one output was stored. */
export interface StoredFile {
  uri: string;
  bytes: number;
  sha256: string;
}

export interface GenerationOutput extends OutputAsset {
  stored: StoredFile;
}

/** What the workflow `generation` returns. */
export interface GenerationResult {
  taskId: string;
  model: string;
  status: 'COMPLETED';
  /** The API's `data`, untouched. */
  data: unknown;
  outputs: GenerationOutput[];
  /** Where a `data` over 256 KB was stored; then `data` is null. */
  dataUri?: string;
  /** All attempts together. */
  usage: Usage;
  /** Of it, what this very run has bought: summed over the runs of an id it is the bill. */
  charged: Usage;
  attempts: Attempt[];
}

/** First detail of a failed generation. */
export interface FailureDetails {
  attempts: Attempt[];
  usage: Usage;
  /** Of it, what this very run has bought. */
  charged: Usage;
  errors?: FieldError[];
}

/** Of our own failure types, those of a generation that may buy nothing. */
export const WHY_NOTHING = ['OUTPUT_UNAVAILABLE'] as const;

export type GenerationState =
  | 'submitting'
  | 'waiting'
  | 'reconciling'
  | 'parked'
  | 'needs a decision'
  | 'storing'
  | 'done';

/** Answer of the query `progress`. `nextPollAt` is an ISO 8601 time while the run waits for a task, else null. */
export interface Progress {
  state: GenerationState;
  taskId: string | null;
  attempts: Attempt[];
  usage: Usage;
  nextPollAt: string | null;
  /** What holds the run up, in words; null where nothing does. */
  trouble: string | null;
  /** While a person is asked and nothing may be bought: what can be decided. Absent: everything. */
  decisions?: Decision['action'][];
}

/** Argument of the signal `taskEvent`: a hint that a task's record may have changed. */
export interface TaskEvent {
  webhookId: string;
  type: string;
  taskId: string;
  /** Of a completed task: the URLs of its files, for the case that its record names none. */
  artifacts?: string[];
}

/** What a person can decide. */
export const DECISIONS = ['resubmit', 'adopt', 'fail'] as const;

/** Argument of the update `decide`. */
export interface Decision {
  action: (typeof DECISIONS)[number];
  /** The task to adopt. */
  taskId?: string;
  /** Adopts it although it is of another model or input; what it has cost is not charged to this run then. */
  otherInput?: boolean;
}

/** Answer of the update `decide`: `note` tells what else is to be known, such as a task that was found meanwhile. */
export interface DecisionAnswer extends Progress {
  note: string | null;
}
