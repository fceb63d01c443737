import type { ModelId } from '../api/models/registry.ts';
import type { Usage } from '../api/records/usage.ts';
import type { GenerationResult } from './generation.ts';
import type { Budget, BudgetAbove } from './purchases/payers.ts';
import type { StepModelResult } from './steps/model-result.ts';
import type { Tags } from './tags.ts';

export interface PipelineStep {
  model: string;
  /** The model's fields. A value may be a reference: see references.ts. */
  input: Record<string, unknown>;
  /** A template of the API, which completes the input. */
  templateId?: string;
  /** Laid over the pipeline's policy. */
  policy?: unknown;
  /** Waits for the update `approve` or `reject` before anything of it is bought. */
  approve?: boolean;
  /** `hold`: where the step fails, it waits for the update `resolve`. `fail` when absent. */
  onFailure?: 'fail' | 'hold';
}

/** Whether a step is fanned out, and which steps there are: only the compiler sees it. */
declare const fansOut: unique symbol;
declare const stepTypes: unique symbol;

/** What the compiler knows of a step; with `boolean` it may be fanned out or not. */
export interface StepType<Id extends ModelId = ModelId, FansOut extends boolean = boolean> {
  readonly model: Id;
  readonly [fansOut]?: FansOut;
}

/** By name; `Types` is what the compiler knows of them. */
export interface PipelineSteps<Types = unknown> {
  [name: string]: PipelineStep;
  readonly [stepTypes]?: Types;
}

/** The one argument of the workflow `pipeline`. `definePipeline` tells the compiler what steps it has. */
export interface PipelineRequest<Types = unknown, AllowPartial extends boolean = boolean> {
  /** The address of this document's JSON Schema: for editors, and for nobody else. */
  $schema?: string;
  steps: PipelineSteps<Types>;
  /** Values for `{ "$param": name }` in the inputs. */
  params?: Record<string, unknown>;
  workspace?: string;
  policy?: unknown;
  /** Of every generation of the pipeline. */
  tags?: Tags;
  /** Where a signed word goes when the run has ended. */
  callback?: string;
  /** For this workflow id, over all its runs, and for what goes on with its account. */
  budget?: Budget;
  /** Budget of the batch that it is a row of. */
  budgetsAbove?: BudgetAbove[];
  /** Workflow id of an earlier pipeline: a step equal to a completed one there, of any name, is not bought again. */
  reuse?: string;
  /** With `reuse`, by step: inputs that it had there before its own, the latest first; what was bought with one of them is not bought again either. */
  earlierInputs?: Record<string, Record<string, unknown>[]>;
  /** End as completed with status `PARTIAL` or `FAILED` instead of failing the workflow. */
  allowPartial?: AllowPartial;
}

export interface StepFailure {
  type: string;
  message: string;
  details: unknown;
}

/** What a pipeline's result leaves out of a generation to stay small; the generation's own result has it. */
export type Omission = 'data' | 'attempts' | 'outputs';

export interface CompletedItem<Result extends GenerationResult = GenerationResult> {
  status: 'COMPLETED';
  workflowId: string;
  result: Result;
  /** Taken from the pipeline that `reuse` names, so it cost nothing again. */
  reused?: true;
  omitted?: Omission[];
}

export type IncompleteItem =
  | { status: 'FAILED'; workflowId: string; failure: StepFailure }
  | { status: 'SKIPPED'; workflowId: null; failure: StepFailure };

/** One generation of a step: the step itself, or one item of a fan-out. */
export type StepItem = CompletedItem | IncompleteItem;

export interface FannedOutStep<Item = StepItem> {
  status: 'COMPLETED' | 'PARTIAL' | 'FAILED';
  workflowId: null;
  items: Item[];
}

export type StepResult = StepItem | FannedOutStep;

export interface PipelineResult<Types = unknown, AllowPartial extends boolean = boolean> {
  status: 'COMPLETED' | 'PARTIAL' | 'FAILED';
  /** In the order of the request. */
  steps: StepResults<Types, AllowPartial>;
  /** What all that is in `steps` cost, without what was reused. */
  usage: Usage;
  /** The credits of it that this very run has bought: over the runs of an id they add up to the bill. */
  charged: Usage;
  /** Set where the run has bought no task, and none may have been bought: then its failure leaves its id free. */
  boughtNothing?: true;
}

/** Where the compiler knows the steps, with their names and models; all of them are completed without `allowPartial`. */
export type StepResults<Types, AllowPartial extends boolean> = Types extends object
  ? string extends keyof Types
    ? Record<string, StepResult>
    : { [Name in keyof Types]: KnownStepResult<Types[Name], AllowPartial> }
  : Record<string, StepResult>;

type KnownStepResult<Type, AllowPartial extends boolean> =
  Type extends StepType<infer Id, infer FansOut>
    ?
        | (FansOut extends true
            ? FannedOutStep<CompletedItem<StepModelResult<Id>> | Incomplete<AllowPartial>>
            : CompletedItem<StepModelResult<Id>>)
        | Incomplete<AllowPartial>
    : never;

type Incomplete<AllowPartial extends boolean> = AllowPartial extends true ? IncompleteItem : never;

/** One step in the pipeline's query `progress`. */
export interface StepProgress {
  /** `approval` and `held` wait for a person: for the updates `approve` or `reject`, and `resolve`. */
  status: 'pending' | 'approval' | 'running' | 'held' | 'done';
  model: string;
  /** Of its generations, the first ones. */
  workflowIds: string[];
  /** How many more generations it has. */
  more?: number;
  outcome?: StepResult['status'];
  /** Credits of its generations that have ended, all their tries. */
  credits?: number;
  /** What a generation of it waits for that runs: the words of `DarkroomState`, or `waiting for its budget`. */
  needs?: string;
  /** What a person is asked, what holds it up, why it has failed, or what it waits for beside its inputs, in words. */
  note?: string;
}

/** Argument of the signal `stepState`: a step's generation has come into a state that needs a look or waits for its budget, or has left it. */
export interface StepState {
  /** Of the generation, below the pipeline's id: `<step>`, or `<step>/<index>` under fan-out. */
  path: string;
  /** The value of its `DarkroomState`, or `waiting for its budget`; null: neither. */
  state: string | null;
  /** What holds it up, in words. */
  note: string | null;
}

/** Answer of the pipeline's query `progress`; at most 20 KB. */
export interface PipelineProgress {
  /** Those that are left out first where there is no room: done ones, then pending ones. */
  steps: Record<string, StepProgress>;
  /** How many steps are left out. */
  omitted?: number;
  usage: Usage;
}

/** Argument of the update `approve`. */
export interface Approval {
  step: string;
  /** In the place of the step's own; references allowed. */
  input?: Record<string, unknown>;
}

/** Argument of the update `reject`: the step is skipped. */
export interface Rejection {
  step: string;
}

/** Argument of the update `resolve`, for a step that is held. */
export interface Resolution {
  step: string;
  action: 'retry' | 'skip' | 'fail';
  /** For `retry`, in the place of the step's own; references allowed. */
  input?: Record<string, unknown>;
}
