import { digestOf } from '../../api/input/field-digests.ts';
import type { Ordered } from '../generation.ts';
import type { PipelineRequest, PipelineStep } from '../pipeline.ts';
import type { Origins } from '../purchases/origins.ts';
import { orderOf } from './pipeline-step.ts';
import type { Output, Source } from './resolve-input.ts';
import type { LookedAt, StepToFind, StepToReuse } from './step-look.ts';

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

export function ordered({ step, input }: Pick<Job, 'step' | 'input'>): Ordered {
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

/** A step's generation, by what tells it from others. */
export function toFind(
  { workflowId, origins, ...job }: Job,
  { workspace }: Pick<PipelineRequest, 'workspace'>,
): StepToFind {
  return { ...ordered(job), workflowId, workspace, origins };
}

/** As the pipeline that `reuse` names may have bought it; undefined: none is reused. */
export function toReuse(
  { path, origins, ...job }: Job,
  { reuse, workspace }: Pick<PipelineRequest, 'reuse' | 'workspace'>,
): StepToReuse | undefined {
  const digest = digestOf(job.step.input);
  return reuse === undefined
    ? undefined
    : { ...ordered(job), pipelineId: reuse, path, digest, workspace, origins };
}
