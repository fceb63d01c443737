import type { Usage } from '../../api/records/usage.ts';
import type { StepItem } from '../pipeline.ts';
import type { Origins } from '../purchases/origins.ts';

/** Where a step is, or an item of one that is fanned out: each stage has what it needs, and no other has it. */
export type StepStage =
  /** It waits for the steps that it refers to; these are worked out anew by the next run. `isApproved`: nobody has to be asked any more. */
  | { at: 'blocked'; needs: readonly string[]; isApproved?: true }
  /** A person is asked whether it may be bought. */
  | { at: 'approval' }
  /** Its items have stages of their own. `isDecided`: a person has said what becomes of those that have failed. */
  | { at: 'fanned'; isDecided?: true }
  | Seeking
  | Starting
  /** Its generation runs. */
  | ({ at: 'following' } & Heard)
  /** It has failed, and a person is asked what becomes of it. `end`: its own; one that is fanned out has those of its items. */
  | { at: 'held'; end?: StepEnd }
  | ({ at: 'done' } & StepEnd);

/** What its generation has said that it needs, perhaps before this run knew that it runs. */
interface Heard {
  need?: Need | undefined;
}

/** Nothing of it is started: what there is already is looked for. */
export interface Seeking extends Heard {
  at: 'seeking';
  /** `queued`: others run first. `looking`: for what earlier pipelines and runs have bought. */
  place: 'queued' | 'looking';
  /** Who came first is served first. */
  turn: number;
}

/** It is about to be started. */
export interface Starting extends Heard {
  at: 'starting';
  earlier?: EarlierGeneration;
}

/** Its id was used before: by another purchase, or by a run of the same one that has failed. */
export interface EarlierGeneration {
  /** The run that failed: what it has bought is adopted. */
  run?: string;
  /** What that run was started with, where the step's references mean something else by now. */
  other?: { input: Record<string, unknown>; origins: Origins };
}

/** How a step or an item has ended. */
export interface StepEnd {
  item: StepItem;
  /** When its generation's last run was started, in milliseconds since the epoch; none was for it where absent. */
  startedAt?: number;
  /** Of what it was charged, what was counted with a try before it: see told-by-end.ts. */
  countedBefore?: Usage;
  /** How many of the cuts it has had that make room: see room.ts. */
  cuts?: number;
  /** Bytes with no cut, with the first, with the first two, …; worked out anew by the next run. */
  sizes?: readonly number[];
  /** It failed in an earlier run, where a person then gave the step this input. */
  next?: Record<string, unknown>;
}

/** An input that a person has put in the place of the request's. */
export interface ReplacedInput {
  input: Record<string, unknown>;
  /** The digests of the step's first input and of this one: what it buys is named by it. */
  given: { first: string; last: string };
  /** Those that it was tried with before, the latest first: they may have bought something. null: the request's own. */
  before: (Record<string, unknown> | null)[];
}

/** What a step or a generation needs a look for: the words of `DarkroomState`, and what holds it up. */
export interface Need {
  state: string;
  note: string;
}

/** What the tries of a generation have cost that were followed by another one. */
export interface Tried {
  usage: Usage;
  charged: Usage;
  /** The last of them, by its name. */
  workflowId: string | null;
  /**
   * The tasks of those that were ended from outside. They have told nobody what these have cost, so the next run of the
   * generation charges itself for those that it adopts; but the pipeline had asked, and counted them.
   */
  asked?: string[];
  /**
   * Each of them by itself: when its run was started, and what it has told that it was charged; or else what it was asked
   * about its tasks. Nobody else tells it once the server has deleted that run. Absent in what older workers have handed on.
   */
  told?: [startedAt: number, charged: Usage, asked?: [taskId: string, cost: Usage][]][];
}

/**
 * What a pipeline that continues as new hands on to its next run, beside its request: all that it knows. Nobody else
 * sends it. Together they are smaller than 2 MB: a payload takes no more.
 */
export interface CarriedPipeline {
  /** By path: `<step>`, and `<step>/<index>` of the items of one that is fanned out. A generation's own workflow id is left out. */
  steps: [path: string, stage: StepStage][];
  /** By step that is fanned out: which output each item takes, by its index; null: none any more. */
  fans: [step: string, positions: readonly (number | null)[]][];
  inputs: [step: string, replaced: ReplacedInput][];
  /** Steps that a person has let be bought, or tried again, in this run: decisions of earlier runs do not count for them. */
  asked: string[];
  /** What failed and was tried again has cost, by path. */
  tried: [path: string, costs: Tried][];
  /** Whether an earlier run of the same id has bought steps. */
  runsAgain: boolean;
}
