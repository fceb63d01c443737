import type { Reusable, StepToReuse } from '../../contract/steps/step-look.ts';
import { findReusable } from '../../temporal/reuse/find-reusable.ts';
import { stillRunning } from '../parents/still-running.ts';

/**
 * What there is to reuse for a step.
 *
 * @throws STILL_RUNNING where an equal generation runs: Temporal looks again, later and later, until it has ended
 */
export async function takeReusable(
  deps: Parameters<typeof findReusable>[0],
  step: StepToReuse,
): Promise<Exclude<Reusable, { kind: 'running' }> | null> {
  const found = await findReusable(deps, step);
  if (found?.kind === 'running') throw stillRunning(found.workflowId);
  return found;
}
