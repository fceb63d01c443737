import type { Usage } from '../../api/records/usage.ts';
import type { GenerationResult, Ordered } from '../generation.ts';
import type { PipelineRequest, PipelineResult, StepFailure } from '../pipeline.ts';
import type { Origins } from '../purchases/origins.ts';

/** An output that a step is to use. */
export interface StoredOutputUrl {
  url: string;
  /** Its stored copy's URI; undefined where nobody knows it. */
  stored?: string | undefined;
}

/** `message`: which one cannot be reached, and what to do. */
export type ReachedOutputs = { ok: true; urls: string[] } | { ok: false; message: string };

/** A step of a pipeline as the generation that it would be. */
export interface StepToFind extends Ordered {
  workflowId: string;
  /** `default` when undefined. */
  workspace: string | undefined;
  /** What the URLs in the input are, where they are outputs of other steps. */
  origins?: Origins;
}

/** A look at the generation of a step. */
export interface GenerationLook extends StepToFind {
  /** Whether the answer can wait for the generation's end. */
  wait: boolean;
  /** Takes the generation for the step's, whatever it was started with: that has been looked at before. */
  asItIs?: true;
  /** The run that asks has started it itself before: its own history tells what the server may have deleted. */
  isOwn?: true;
}

/** A look at a pipeline that a workflow of somebody's own has asked for. */
export interface PipelineLook {
  workflowId: string;
  request: PipelineRequest;
  /** Whether the answer can wait for the pipeline's end. */
  wait: boolean;
}

export type PipelineLookedAt =
  | { kind: 'missing' }
  /** The paths in which it was started with something else. */
  | { kind: 'different'; differences: string[] }
  | { kind: 'running' }
  | { kind: 'completed'; result: PipelineResult }
  | ({ kind: 'failed'; failure: StepFailure } & EndedBefore);

/** In the place of a path: a run that this one repeats is deleted, so there may have been others. */
export const MAY_BE_MORE = '';

/** What a person has said of a step that waited for one, and that was obeyed. */
export interface SaidOfStep {
  /** It may be bought; or it is tried again. */
  by: 'approve' | 'retry';
  /** In the place of the one that it had; null: as it is. */
  input: Record<string, unknown> | null;
}

/** Things that a step would make, each as it may have been begun or bought, the latest first. */
export interface ThingsToFind {
  things: { begun: StepToFind[]; reusable: StepToReuse[] }[];
  /** What the outputs are of the steps that it refers to. */
  made: string[];
}

/** Whether a thing is paid for: it was begun or can be reused, or may be soon, while something equal runs elsewhere; or not. */
export type FoundThing = 'paid' | 'running' | 'none';

/** Which generations of a pipeline there may be. */
export interface StepSurvey {
  pipelineId: string;
  steps: { name: string; isFannedOut: boolean }[];
}

export type LookedAt =
  | { kind: 'missing' }
  /** It was started with another model, input or workspace, so its result is not this step's. */
  | { kind: 'different'; isRunning: boolean }
  /** `state`: the value of its `DarkroomState`. */
  | ({ kind: 'running'; state?: string } & Started)
  | ({ kind: 'completed'; result: GenerationResult } & Started)
  | ({ kind: 'failed'; failure: StepFailure } & Started & EndedBefore);

export interface EndedBefore {
  /**
   * Set where it was ended from outside, and the run that looks is a Reset: whether it ended before that began. Then the
   * run repeats the end, which was not for it; an end since then is for this very run.
   */
  isBefore?: boolean;
}

interface Started {
  runId: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /**
   * Set where the generation was started for the same step with other outputs of the steps that it refers to: what it
   * was started with.
   */
  other?: { input: Record<string, unknown>; origins: Origins };
}

/** A question about what the generations of a pipeline have bought. */
export interface StepsToBill {
  workflowId: string;
  runId: string;
  /** Tasks that the pipeline knows of by runs that were ended from outside. */
  asked?: string[];
}

/** What the generations of a pipeline have bought that no earlier run of it has told. */
export interface StepsBought {
  /** When the last run ended that has told anything, in milliseconds since the epoch; null: none has. */
  toldAt: number | null;
  /** By path, of those whose histories the server has. */
  charged: Record<string, Usage>;
  /** When the first run began that the server has of each of them; absent in what older workers have told. */
  since?: Record<string, number>;
  /** Of the tasks that it was asked about, those that such histories tell of; absent in what older workers have told. */
  recorded?: string[];
}

/** An equal generation of an earlier pipeline. */
export type Reusable =
  | { kind: 'completed'; workflowId: string; result: GenerationResult }
  | { kind: 'running'; workflowId: string }
  /**
   * Its task may still end, and nobody follows it: it was cancelled, terminated or timed out, or it failed as `type`
   * (overdue, lost).
   */
  | { kind: 'ended'; workflowId: string; type?: string };

/** Nothing was found, and nobody can tell whether there was something: the pipeline to reuse is gone, or runs. */
export interface Unusable {
  kind: 'unusable';
  message: string;
}

/** A step as an earlier pipeline may have bought it. */
export interface StepToReuse extends Ordered {
  pipelineId: string;
  /** Below the pipeline's id: `<step>` or `<step>/<index>`. */
  path: string;
  /** Of the step's input as it is written: by it a generation is named that was given another input than the request's. */
  digest: string;
  /** `default` when undefined. */
  workspace: string | undefined;
  origins?: Origins;
}
