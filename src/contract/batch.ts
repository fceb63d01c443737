import type { Usage } from '../api/records/usage.ts';
import type { BookingOf, PartBooking } from './entities/account.ts';
import type { PipelineRequest } from './pipeline.ts';
import type { PlacesInHex } from './places.ts';
import type { EndedBefore } from './steps/step-look.ts';

/** How many pipelines of a batch run side by side unless it says otherwise, and at most. */
export const USUAL_CONCURRENCY = 50;
export const MOST_CONCURRENCY = 200;

/** A page holds so many rows at most, and so many bytes of them as JSON: an activity hands it over in one payload. */
export const MOST_PAGE_ROWS = 250;
export const MOST_PAGE_BYTES = 500_000;

/** Rows of a batch: their pages' names stand in its argument. */
export const MOST_ROWS = 1_000_000;

/** A row's id; with the batch's it names the row's pipeline: `batch/<key>/<row>`. */
export const ROW_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export interface BatchRow {
  id: string;
  /** Values for the pipeline's parameters and `{{column}}`s, over its own. */
  values: Record<string, unknown>;
  /** Of the whole request that the row makes: the same id with another is another purchase. */
  digest: string;
}

/** What is to be held for the first of these rows, which come after one another: see `PartBooking`. */
export interface HoldForRow extends Pick<BookingOf<'hold'>, 'kind' | 'workflowId' | 'limit' | 'since'> {
  pipeline: PipelineRequest;
  rows: BatchRow[];
}

/** What a workflow books on the account of a budget: of a row's purchases the activity knows more. */
export type PartToBook = Exclude<PartBooking, { kind: 'hold' }> | HoldForRow;

/** The one argument of the workflow `batchRows`, which does nothing but keep it until the batch is over. */
export interface BatchPage {
  /** Whose rows they are: a batch of another workspace gets none of them. */
  workspace: string;
  rows: BatchRow[];
}

/** What has become of a batch's rows: it is known for longer than the server keeps their runs. */
export interface KnownRows {
  /** Those that were started. */
  begun: PlacesInHex;
  /** Of these, those that have completed. */
  completed: PlacesInHex;
}

/** The one argument of the workflow `batch`. */
export interface BatchRequest {
  /** What each row runs; `params` may be completed by the row. */
  pipeline: PipelineRequest;
  /** Where the rows are: workflows of type `batchRows`, in the rows' order, named `<the batch's id>/rows/…`. */
  pages: { workflowId: string; rows: number }[];
  /** Of the pipelines of all rows, how many run at once. */
  concurrency?: number;
  /** For all rows together. */
  budget?: { credits: number };
  /** Where a signed word goes when the batch has ended. */
  callback?: string;
  /** Whether rows that failed in an earlier run of this id are run once more. */
  retryFailed?: boolean;
  /** Whether an earlier run of this id may have started rows. */
  again?: boolean;
  /** What is known of that: a row that has begun, and whose run the server has deleted, is not bought again. */
  known?: KnownRows;
}

export interface BatchCounts {
  completed: number;
  failed: number;
  /** Not started, because the budget did not admit them. */
  refused: number;
  /** Why the latest of those was not, in words. */
  refusal?: string;
}

/** Argument of the signal `rowState`: a row's pipeline has come into a state that needs a look or waits for its budget, or has left it. */
export interface RowState {
  /** Of the row's pipeline. */
  workflowId: string;
  /** The step that needs it most. */
  step: string | null;
  /** What that step waits for of a person: `approve` or `reject`, or `resolve`; null: its generation needs the look. */
  asks: 'approval' | 'held' | null;
  /** The value of the pipeline's `DarkroomState`, or `waiting for its budget`; null: neither. */
  state: string | null;
  /** What a person is asked, or what holds it up, in words. */
  note: string | null;
}

/** A row that needs a look. */
export interface RowNeed {
  workflowId: string;
  /** The words of `DarkroomState`. */
  state: string;
  step?: string;
  /** What a person is asked of that step: see `RowState`. */
  asks?: 'approval' | 'held';
  note?: string;
}

/** Rows that wait for room in their budget, and go on by themselves. */
export interface WaitingRows {
  /** Of those that run; and the next one, where what is left of the batch's budget is reserved. */
  rows: number;
  /** What they wait for, in words: of one of them. */
  note: string;
}

/** What is said of rows that wait for their budget. */
export function describeWaiting({ rows, note }: WaitingRows): string {
  return rows === 1
    ? `1 row waits for its budget: ${note}. It goes on by itself.`
    : `${rows} rows wait for their budget: ${note}. They go on by themselves.`;
}

/** How far a batch is, and what its budget keeps from it: one line each. */
export function describeCounts({
  rows,
  completed,
  failed,
  running,
  refused,
  refusal = '',
  waiting,
}: Pick<BatchProgress, keyof BatchCounts | 'rows' | 'running' | 'waiting'>): string[] {
  return [
    `${completed} of ${rows} rows completed, ${failed} failed, ${running.length} running`,
    ...(refused === 0 ? [] : [describeRefused({ refused, refusal })]),
    ...(waiting === undefined ? [] : [describeWaiting(waiting)]),
  ];
}

/** What is said of rows that the budget does not admit. */
export function describeRefused({ refused, refusal = '' }: Pick<BatchCounts, 'refused' | 'refusal'>): string {
  return `${refused} not started: the budget does not admit them${refusal === '' ? '' : ` (the last one: ${refusal})`}`;
}

/** Answer of the query `progress` of a batch. */
export interface BatchProgress extends BatchCounts {
  rows: number;
  /** Rows before this one have been started, or settled. */
  next: number;
  /** Of these, the ones that are not settled, by their places; as many as run at once. */
  running: number[];
  /** Of the rows that run, those that need a look: the most urgent first, at most twenty. */
  attention: RowNeed[];
  /** How many more need one. */
  moreAttention?: number;
  waiting?: WaitingRows;
  usage: Usage;
  /** ISO 8601. */
  startedAt: string;
}

/** What the workflow `batch` returns. */
export interface BatchResult extends BatchCounts {
  /** `COMPLETED`: every row. */
  status: 'COMPLETED' | 'PARTIAL' | 'FAILED';
  rows: number;
  /** What all rows have cost, those of earlier runs of this id included. */
  usage: Usage;
  /** Of it, what no earlier run has told in its result: over all runs of an id it adds up to the bill. */
  charged: Usage;
  known: KnownRows;
}

/** What a run of `batch` hands on to the next one where it continues as new. */
export interface CarriedBatch {
  counts: BatchCounts;
  usage: Usage;
  charged: Usage;
  known: KnownRows;
  page: number;
  /** In the page. */
  position: number;
  running: [place: number, workflowId: string, digest: string][];
  /** Rows that need a look, and the value of `DarkroomState`. */
  needs?: { rows: RowNeed[]; state: string | null };
  startedAt: number;
}

/** What there is of a row. */
export type RowLook =
  | { kind: 'missing' }
  /** `state`: the value of its `DarkroomState`, where it has one. */
  | { kind: 'running'; state?: string }
  /** The id belongs to another request. */
  | { kind: 'different' }
  /** An earlier run of the batch has begun it, and the server has deleted its run. */
  | { kind: 'gone'; isCompleted: boolean; usage: Usage; charged: Usage; startedAt: number }
  /**
   * `startedAt`: its last run, in milliseconds since the epoch. `isOpen`: what it was charged is not known yet: nobody has
   * looked at its generations, one of these runs, or the API does not tell a price.
   */
  | ({
      kind: 'ended';
      isCompleted: boolean;
      usage: Usage;
      charged: Usage;
      startedAt: number;
      isOpen?: true;
    } & EndedBefore);

/** Whether a batch starts a row's pipeline: there is none, or it has ended and is to run once more. */
export function isToStart(
  row: { kind: Exclude<RowLook['kind'], 'ended'> } | ({ kind: 'ended'; isCompleted: boolean } & EndedBefore),
  retryFailed: boolean | undefined,
): boolean {
  if (row.kind === 'missing') return true;
  return row.kind === 'ended' && (row.isBefore === true || (retryFailed === true && !row.isCompleted));
}

/** Argument of the activity `lookAtRow`. */
export interface RowToLookAt {
  workflowId: string;
  digest: string;
  /** Whether to be asked again and again while it runs, or is open. */
  wait: boolean;
  /** Whether an earlier run of the batch may have told what rows were charged. */
  isAgain?: boolean;
}

/** The name of the memo field of a row's pipeline that holds the row's digest. */
export const ROW_MEMO = 'row';

/**
 * The memo field of a row's run that follows another one: what was charged to each the batch may have told, or not.
 */
export const AFTER_ANOTHER_MEMO = 'afterAnother';
