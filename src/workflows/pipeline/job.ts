import { workflowInfo } from '@temporalio/workflow';
import type { Origins } from '../../contract/origins.ts';
import type { PipelineStep, StepItem } from '../../contract/pipeline.ts';
import type { Output } from '../../contract/resolve-input.ts';
import type { LookedAt } from '../../contract/step-look.ts';
import { failedBefore } from './child.ts';
import type { Settled } from './results.ts';

/** A generation that a step needs. */
export interface Job {
  /** Below the pipeline's id: `<step>`, or `<step>/<index>` under fan-out. */
  path: string;
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
export function inUse({ path }: Job): Settled {
  const message = `${idOf(path)} runs already with another model or input: let it end, cancel it, or give the pipeline another id`;
  return now(failedBefore(idOf(path), { type: 'INVALID_REQUEST', message }));
}

/** The workflow id of the generation with a path. */
export function idOf(path: string): string {
  return `${workflowInfo().workflowId}/${path}`;
}

/** An end that is told now. */
export function now(item: StepItem): Settled {
  return { item, startedAt: Date.now() };
}
