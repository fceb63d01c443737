import type { SubmitTaskInput } from '../../contract/tasks/submit-task.ts';
import { parentRun } from '../parent-run.ts';
import { settledTasks } from './attempts.ts';
import type { Run, State } from './state.ts';

/** What a submit is told; a look for what earlier runs have bought is told the same. */
export function submitInput({ asked, request, firstRunId }: Run, state: State): SubmitTaskInput {
  const { plan, seed, resolvedUnknowns, gaveUp } = state;
  const parent = parentRun(request.earlierRun !== undefined);
  const known = { settledTaskIds: settledTasks(state), resolvedUnknowns, gaveUpAt: gaveUp?.at };
  return { request: asked, plan, seed, firstRunId, parent, ...known };
}
