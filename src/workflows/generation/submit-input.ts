import type { SubmitTaskInput } from '../../contract/tasks/submit-task.ts';
import { parentRun } from '../parent-run.ts';
import { tasksOf } from './attempts.ts';
import type { Run, State } from './state.ts';

/** What a submit is told; a look for what earlier runs have bought, which a run may make that holds a task, is told the same. */
export function submitInput({ asked, request, firstRunId }: Run, state: State): SubmitTaskInput {
  const { plan, seed, resolvedUnknowns, gaveUp, lookedBack } = state;
  const parent = parentRun(request.earlierRun !== undefined);
  const known = { settledTaskIds: tasksOf(state), resolvedUnknowns, gaveUpAt: gaveUp?.at, lookedBack };
  return { request: asked, plan, seed, firstRunId, parent, ...known };
}
