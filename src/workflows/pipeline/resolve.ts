import type { StepItem } from '../../contract/pipeline.ts';
import { findReferences, stepsOf } from '../../contract/steps/references.ts';
import { resolveInput } from '../../contract/steps/resolve-input.ts';
import { takenBy } from './fan-out.ts';
import type { Job } from './job.ts';
import type { Run } from './run.ts';
import { sourcesOf } from './sources.ts';
import { idOf, stepAt } from './state.ts';
import { skipped } from './step-result.ts';

/** @returns how it ends where there is nothing to do: a step that it refers to lacks such an output after all */
export async function resolved(run: Run, path: string): Promise<Job | { end: StepItem }> {
  const step = stepAt(run.state, path);
  const { references } = findReferences(step.input, '');
  const sources = await sourcesOf(run, stepsOf(references));
  const taken = takenBy(run.state, path, references, sources);
  const input = resolveInput(step.input, sources, run.state.request.params ?? {}, taken);
  if ('missing' in input) return { end: skipped(input.step, input.missing) };
  return { path, workflowId: idOf(run.state, path), step, ...input, sources };
}
