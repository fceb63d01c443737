import type { GenerationRequest, GenerationResult } from '../../contract/generation.ts';
import type { Reusable, StepToFind, StepToReuse, Unusable } from '../../contract/steps/step-look.ts';
import type { RunIds } from '../../temporal/reset-run.ts';
import { findReusable, leftBy } from '../../temporal/reuse/find-reusable.ts';
import { likeness } from '../../temporal/reuse/same-step.ts';
import type { ActivityDeps } from '../deps.ts';
import { stillRunning } from '../parents/still-running.ts';
import { checkReuse } from './check-reuse.ts';

type Deps = Pick<ActivityDeps, 'temporal' | 'pipelines' | 'children'>;

/**
 * What there is to reuse for a step.
 *
 * @throws STILL_RUNNING where an equal generation runs: Temporal looks again, later and later, until it has ended
 */
export async function takeReusable(
  deps: Deps,
  step: StepToReuse,
): Promise<Exclude<Reusable, { kind: 'running' }> | Unusable | null> {
  const found = await findForStep(deps, step);
  if (found?.kind === 'running') throw stillRunning(found.workflowId);
  // The server may have deleted it since the pipeline began: what it has bought is not bought anew without a word.
  if (found !== null) return found;
  const [wrong] = await checkReuse(deps.temporal, step.pipelineId, step.workspace);
  return wrong === undefined ? null : { kind: 'unusable', message: `${wrong.path} ${wrong.message}` };
}

/** The same by now: an equal generation may run. */
export async function findForStep(
  { temporal, pipelines, children }: Deps,
  step: StepToReuse,
): Promise<Reusable | null> {
  const deleted = async (
    pipeline: RunIds,
    { workflowId, ...wanted }: StepToFind,
  ): Promise<Reusable | null> => {
    const told = await children.told({ ...pipeline, again: true }, { workflowId, isNamed: true });
    if (told === undefined || 'missing' in told) return null;
    const request = told.request as GenerationRequest | undefined; // a generation's argument
    if (likeness({ request, origins: told.origins }, wanted) !== 'same') return null;
    // It ran when its pipeline was ended, and nobody has written down what came of it.
    if (told.end === undefined) return { kind: 'ended', workflowId };
    return 'result' in told.end
      ? { kind: 'completed', workflowId, result: told.end.result as GenerationResult } // of a generation
      : leftBy(workflowId, told.end.failure);
  };
  return await findReusable({ temporal, pipelines, deleted }, step);
}
