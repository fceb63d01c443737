import type { PipelineStep, StepItem } from '../../contract/pipeline.ts';
import type { Origins } from '../../contract/purchases/origins.ts';
import type { Output } from '../../contract/steps/resolve-input.ts';
import type { LookedAt, Reusable } from '../../contract/steps/step-look.ts';
import { failedBefore } from './child.ts';
import type { Settled } from './results.ts';

/** A generation that a step needs. */
export interface Job {
  /** Below the pipeline's id: `<step>`, or `<step>/<index>` under fan-out. */
  path: string;
  /** Of the generation: see `generationId`. */
  workflowId: string;
  /** Whether it is for an input that was given to a held step, in the place of the one before. */
  isGiven: boolean;
  /** Whether a person has asked this run for it: what was decided in earlier runs does not count then. */
  isAsked: boolean;
  step: PipelineStep;
  /** The step's input with every reference resolved, and what the URLs in it are. */
  input: Record<string, unknown>;
  origins: Origins;
  /** What a step that is referred to has made, by what it is. */
  made: (step: string) => ReadonlyMap<string, Output>;
}

/** What a look finds of a generation that is there. */
type Followed = Extract<LookedAt, { kind: 'running' | 'completed' | 'failed' }>;

/**
 * Whether the outputs that a generation was started for are still those of the steps that it refers to: then it is
 * the step's, whatever a reference would mean by now. A step that was bought again has others.
 */
export function isMadeOf({ other }: Followed, { made }: Job): boolean {
  return Object.values(other?.origins ?? {}).every(
    ({ reference, outputs }) =>
      'step' in reference && outputs.every((output) => made(reference.step).has(output)),
  );
}

/** Its workflow id belongs to a generation of something else that runs. */
export function inUse({ workflowId }: Job): Settled {
  const message = `${workflowId} runs already with another model or input: let it end, cancel it, or give the pipeline another id`;
  return now(failedBefore(workflowId, { type: 'INVALID_REQUEST', message }));
}

/** The task of an earlier pipeline's generation may be paid and still end: another one is not bought for it. */
export function mayStillEnd({ workflowId, type }: Extract<Reusable, { kind: 'ended' }>): Settled {
  const how = type === undefined ? 'was ended from outside' : `ended as ${type}`;
  const message = `${workflowId} ${how}, and a task that it has bought may still complete: rerun ${workflowId}, which takes that over, and then reset this pipeline; with another input the step is bought`;
  return now(failedBefore(workflowId, { type: 'TASK_OVERDUE', message }));
}

/** An end that is told now. */
export function now(item: StepItem): Settled {
  return { item, startedAt: Date.now() };
}
