import { CancellationScope, log } from '@temporalio/workflow';
import { addUsage, NO_USAGE, type Usage } from '../../api/records/usage.ts';
import { parentRun } from '../parent-run.ts';
import { accounts, whyFailed } from './activities.ts';
import { attemptsOf, heldTask, usageOf } from './attempts.ts';
import { at, type Done, type Run, type State, withNews } from './state.ts';

/** Counts what this very run has bought: its last step, also where it is cancelled. */
export async function bill(before: State, stage: Done, run: Run): Promise<State> {
  const charged = await CancellationScope.nonCancellable(() => chargedBy(run, before));
  return at(withNews(run, before), { ...stage, charged });
}

/**
 * The tasks in its account without those that an earlier run of the id has accounted for, and those of another input that
 * a person has had it adopt. To be asked at the very end: before it, a Reset could make a first run of a re-run, whose
 * history has no such question at that place.
 */
async function chargedBy({ request, runId, firstRunId }: Run, state: State): Promise<Usage> {
  const { earlierRun } = request;
  const parent = parentRun(earlierRun !== undefined);
  const held = heldTask(state);
  const tasks = [...attemptsOf(state), ...(held === undefined ? [] : [held])];
  const mayBeTold = parent !== undefined && tasks.some(({ adopted }) => adopted);
  // What was recorded comes first: a history that is replayed elsewhere does not tell the id of its run.
  const isRerun = state.isRerun || runId !== firstRunId || earlierRun !== undefined || mayBeTold;
  if (usageOf(state).total === 0) return NO_USAGE;
  const earlier = {
    ...(earlierRun === undefined ? {} : { earlierRun }),
    ...(parent === undefined ? {} : { parent }),
  };
  const told = isRerun ? await accounts.accountedTasks(earlier).catch(untold) : [];
  const others = new Set([...told, ...state.heard.foreign]);
  return tasks
    .filter(({ taskId }) => taskId === null || !others.has(taskId))
    .reduce((sum, task) => addUsage(sum, task.usage), NO_USAGE);
}

/** An earlier run's history that cannot be read: better a task is told as bought twice than not at all. */
function untold(error: unknown): string[] {
  log.warn(`cannot tell what earlier runs have accounted for, so all is: ${whyFailed(error)}`);
  return [];
}
