import type { FieldDigests } from '../../api/input/field-digests.ts';
import type { Usage } from '../../api/records/usage.ts';
import type { Outlook } from '../../policy/look-pace.ts';
import type { PriceFacts } from '../../policy/prices/price-table.ts';
import type { GenerationOutput } from '../generation.ts';

/** A task that may be a run's own: one that it was told of, or that a person has named. */
export interface TaskToJudge {
  taskId: string;
  workspace: string;
  /** What submits sent, as digests by our field names. */
  sent: SentInputs;
  /** The first run of the purchase that its name is taken for, where it is of use; absent: it is only looked at. */
  takeFor?: string;
  /** Whose budgets are told where it has ended in vain and is of that input, as caps are; absent: nobody is told. */
  paidBy?: string[];
  /** What its price hangs on. */
  facts?: PriceFacts | undefined;
}

export interface SentInputs {
  model: string;
  inputs: FieldDigests[];
}

/**
 * Whether a task is of use to a run: it is of an input that was sent, completed or running, no other workflow has it, and
 * its name is the run's, if it was to be taken.
 */
export type Judgement =
  | { kind: 'of use'; usage: Usage }
  /** `heldBy`: who has it; `differs`: the fields that are not those of the first input; neither: it has ended in vain. */
  | { kind: 'useless'; heldBy?: string; differs?: string[] }
  | ({ kind: 'again' } & Doubt);

/** Why nobody can tell yet. `forSome`: the API does not know it, or its name is another run's: good for some time only. */
export interface Doubt {
  reason: string;
  forSome?: true;
}

/** Why a run does not buy, in words. */
export const mayBeThisOne = (taskId: string, reason: string): string =>
  `task ${taskId} may be this one, but its record tells nothing: ${reason}`;

export interface LookRequest {
  taskId: string;
  workspace: string;
  model: string;
  /** The first run's id: differs from the current run's after a Reset. */
  firstRunId: string;
  /** Whose budgets are told of its end, as caps are; absent: nobody is told. */
  paidBy?: string[] | undefined;
  /** What its price hangs on. */
  facts?: PriceFacts | undefined;
  /** Where its files are by what an event has told: for a completed task whose record names none. */
  artifacts?: readonly string[] | undefined;
  /** An event of its end was heard. */
  told?: true | undefined;
  /** What the run will have seen of the task's end, should it have ended by now; absent for what others have bought. */
  end?: TaskEnd | undefined;
  /** Milliseconds that the GET may take. */
  timeout: number;
  /** Milliseconds that storing a completed task's files may take; 0: they are not touched; absent: as long as it takes. */
  storeWithin?: number;
}

/** Ages of a task, in milliseconds from its acceptance, when a look is made, and when the last one found it open. */
export interface TaskEnd {
  age: number;
  openAt?: number | undefined;
  /** Whether an event has told of the end. */
  told: boolean;
}

/** What the heartbeat of a look says from when it touches a completed task's files. */
export const AT_FILES = 'at the files';

/**
 * What one look at a task told; the files of a completed one were stored on the way. `rerun`: as a submit's result
 * says it.
 */
export type TaskLook = { rerun?: true } & (
  | { kind: 'open'; usage: Usage; outlook?: Outlook }
  | { kind: 'completed'; usage: Usage; files: StoreReport }
  | {
      kind: 'ended';
      status: 'FAILED' | 'CANCELED';
      usage: Usage;
      code: string | null;
      message: string | null;
    }
  /** `everything`: other tasks of the workspace, which were there, are unknown as well. */
  | { kind: 'not-found'; everything?: true }
  | { kind: 'unavailable'; code: string; reason: string; retryAfter?: number }
);

/** What became of a task's files, in one try: all of them are stored, or what keeps one from being. */
export type StoreTaskReport = { kind: 'stored'; outputs: GenerationOutput[] } | StoreTrouble;

/** Why a task's files are not all stored. Those that are will be found again by the next try. */
export interface StoreTrouble {
  /**
   * `refused`: by rule, for good: a private address, another scheme, too large, too many. `gone`: 410, so
   * only a fresh record may have another URL. `delayed`: not there yet or not now (any other status, the network, a torn
   * body, an error page in its place), or the store is away: worth trying for hours.
   */
  kind: 'refused' | 'gone' | 'delayed';
  /** A sentence for people, without secrets. */
  reason: string;
  /** The file's URL without its query: that of a signed one is a secret. Null where it is not about one file. */
  url: string | null;
  /** The HTTP status that the file's server answered with. */
  status?: number;
  /** Milliseconds that it asked to wait for. */
  retryAfter?: number;
  /** Its record names no file, and no event will: only that record may lag behind. */
  none?: true;
  /** Set where the worker had no place for it: that is no try, and says nothing of the files. */
  untried?: true;
}

/** The same, with the record's own `data`; one that is too large was stored, and is at `dataUri`. */
export type StoreReport =
  | (Extract<StoreTaskReport, { kind: 'stored' }> & { data: unknown; dataUri?: string })
  | Exclude<StoreTaskReport, { kind: 'stored' }>;
