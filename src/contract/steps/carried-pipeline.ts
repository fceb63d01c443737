import type { Usage } from '../../api/records/usage.ts';
import type { StepItem, StepResult } from '../pipeline.ts';
import type { PaidTask } from '../purchases/told-tasks.ts';

/**
 * What a pipeline that continues as new hands on to its next run, beside its request. Nobody else sends it. Together
 * they are smaller than 2 MB: a payload takes no more.
 */
export interface CarriedPipeline {
  /** Inputs that people have put in the place of the request's, by step. */
  replaced?: Record<string, Record<string, unknown>>;
  /** Of steps that were held and given another input: the digests of their first input and of that one. */
  given?: Record<string, GivenInput>;
  /** By model, the fields that no price hangs on. */
  prose: Record<string, string[]>;
  /**
   * How generations have ended, and skipped steps: path, end, when the last run was started (ms since the epoch). Their own workflow
   * ids are left out: they follow from the paths.
   */
  settled: [path: string, item: StepItem, startedAt: number, countedBefore?: CountedBefore][];
  /** What failed and was tried again has cost, by path. */
  tried: [path: string, costs: Tried][];
  /** The steps that are done, by name. */
  done: Record<string, CarriedStep>;
  /** Paths of generations that run. */
  following: string[];
  /**
   * Of these, what those that this pipeline has bought may cost at most, in credits (null: there is no limit), and which
   * tasks were left to them.
   */
  reserved?: [path: string, credits: number | null, left?: LeftTasks][];
  /** Steps that a person has approved. */
  approved: string[];
  /** Which output each item of a running fan-out takes, where that is not its own index. */
  assigned: Record<string, [index: number, position: number][]>;
  /** Set where an earlier run of the same id has bought steps. */
  runsAgain?: true;
  /** Credits that the budget has left behind it. */
  spent: number;
  /** The tasks that are a part of it, by the paths of their generations; none without a budget. */
  counted: [path: string, tasks: PaidTask[]][];
  prices: [key: string, credits: number][];
  /** What the pipeline is searched by, and why; a pipeline's first run has none. */
  attention?: CarriedAttention;
}

export interface GivenInput {
  first: string;
  last: string;
}

export interface CarriedAttention {
  /** Steps that wait for a person, by name, and generations that need a look, by path. */
  asked: [name: string, need: { state: string; note: string }][];
  heard: [path: string, need: { state: string; note: string }][];
  /** The values of `DarkroomState` and `DarkroomModel`. */
  state: string | null;
  model: string;
  /** What its batch was told last. */
  told?: string;
}

/** What the tries of a generation have cost that were followed by another one. */
export interface Tried {
  usage: Usage;
  charged: Usage;
  /** When the last of them was started, in milliseconds since the epoch. */
  startedAt: number;
  /** Of it, what an earlier run of the pipeline may have counted. */
  countedBefore?: CountedBefore;
}

/**
 * The tasks of a generation's run that was ended from outside. Such a run has told nobody what they have cost, so the
 * next run of the generation charges itself for those that it adopts; but the pipeline had asked, and counted them.
 */
export interface LeftTasks {
  tasks: string[];
  /** When the run that left them was started, in milliseconds since the epoch. */
  startedAt: number;
}

/** What a generation is charged for that was counted with the run before it, too: see left-tasks.ts. */
export interface CountedBefore {
  usage: Usage;
  /** When that run was started, in milliseconds since the epoch. */
  startedAt: number;
}

interface CarriedStep {
  status: StepResult['status'];
  /** Under fan-out: the indexes of its items. */
  items?: number[];
}
