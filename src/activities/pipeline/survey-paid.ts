import { leavesTask } from '../../contract/purchases/bought-nothing.ts';
import type { FoundThing, LookedAt, ThingsToFind } from '../../contract/steps/step-look.ts';
import type { ActivityDeps } from '../deps.ts';
import { someAtOnce } from '../some-at-once.ts';
import { lookAtGeneration } from './look-at-generation.ts';
import { findForStep } from './take-reusable.ts';

/** Whether each of some things is paid for, in their order. It waits for nothing. */
export async function surveyPaid(
  deps: Pick<ActivityDeps, 'temporal' | 'pipelines' | 'children'>,
  { things, made }: ThingsToFind,
): Promise<FoundThing[]> {
  const ask = someAtOnce();
  const outputs = new Set(made);
  return await Promise.all(things.map((thing) => ask(() => look(deps, thing, outputs))));
}

async function look(
  deps: Pick<ActivityDeps, 'temporal' | 'pipelines' | 'children'>,
  { begun, reusable }: ThingsToFind['things'][number],
  made: ReadonlySet<string>,
): Promise<FoundThing> {
  for (const step of begun) {
    const found = await lookAtGeneration(deps, { ...step, wait: false });
    // The one that was begun last has come to a result, or its last attempt may.
    if (isOfThing(found, made))
      return found.kind !== 'failed' || leavesTask(found.failure, last) ? 'paid' : 'none';
  }
  let isRunning = false;
  for (const step of reusable) {
    const found = await findForStep(deps, step);
    if (found?.kind === 'completed') return 'paid';
    isRunning ||= found?.kind === 'running';
  }
  return isRunning ? 'running' : 'none';
}

const last = <T>(all: readonly T[]): T[] => all.slice(-1);

/** Whether a look has found what is to be made of these outputs. */
function isOfThing(
  found: LookedAt,
  made: ReadonlySet<string>,
): found is Extract<LookedAt, { kind: 'running' | 'completed' | 'failed' }> {
  if (found.kind === 'missing' || found.kind === 'different') return false;
  const origins = Object.values(found.other?.origins ?? {});
  return origins.every(({ outputs }) => outputs.every((output) => made.has(output)));
}
