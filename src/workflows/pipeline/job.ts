import type { Ordered } from '../../contract/generation.ts';
import type { PipelineStep, StepItem } from '../../contract/pipeline.ts';
import type { Origins } from '../../contract/purchases/origins.ts';
import { orderOf } from '../../contract/steps/pipeline-step.ts';
import type { Output, Source } from '../../contract/steps/resolve-input.ts';
import type { LookedAt, Reusable } from '../../contract/steps/step-look.ts';
import { failedBefore } from '../../contract/steps/step-result.ts';

/** A generation that a step needs. */
export interface Job {
  /** Below the pipeline's id: `<step>`, or `<step>/<index>` under fan-out. */
  path: string;
  workflowId: string;
  step: PipelineStep;
  /** The step's input with every reference resolved, and what the URLs in it are. */
  input: Record<string, unknown>;
  origins: Origins;
  sources: ReadonlyMap<string, Source>;
}

export function ordered({ step, input }: Job): Ordered {
  return orderOf(step, input);
}

/** What a step that is referred to has made, by what it is. */
export function madeBy({ sources }: Job, step: string): ReadonlyMap<string, Output> {
  return new Map(sources.get(step)?.outputs.map((output) => [output.name, output]));
}

/** What a look finds of a generation that is there. */
type Followed = Extract<LookedAt, { kind: 'running' | 'completed' | 'failed' }>;

/**
 * Whether the outputs that a generation was started for are still those of the steps that it refers to: then it is
 * the step's, whatever a reference would mean by now. A step that was bought again has others.
 */
export function isMadeOf({ other }: Followed, job: Job): boolean {
  return Object.values(other?.origins ?? {}).every(({ reference, outputs }) => {
    const made = 'step' in reference ? madeBy(job, reference.step) : undefined;
    return made !== undefined && outputs.every((output) => made.has(output));
  });
}

/** Whether a look has found the generation that a step needs. */
export function isOfStep(found: LookedAt, job: Job): found is Followed {
  return found.kind !== 'missing' && found.kind !== 'different' && isMadeOf(found, job);
}

/** Its workflow id belongs to a generation of something else that runs. */
export function inUse({ workflowId }: Job): StepItem {
  const message = `${workflowId} runs already with another model or input: let it end, cancel it, or give the pipeline another id`;
  return failedBefore(workflowId, { type: 'INVALID_REQUEST', message });
}

/** What it would buy the pipeline to reuse may have bought. */
export function unusable({ workflowId }: Job, message: string): StepItem {
  return failedBefore(workflowId, { type: 'INVALID_REQUEST', message });
}

/** The task of an earlier pipeline's generation may be paid and still end: another one is not bought for it. */
export function mayStillEnd({ workflowId, type }: Extract<Reusable, { kind: 'ended' }>): StepItem {
  const how = type === undefined ? 'was ended from outside' : `ended as ${type}`;
  const message = `${workflowId} ${how}, and a task that it has bought may still complete: rerun ${workflowId}, which takes that over, and then reset this pipeline; with another input the step is bought`;
  return failedBefore(workflowId, { type: 'TASK_OVERDUE', message });
}
