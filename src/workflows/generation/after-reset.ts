import { afterVanished } from './after-task.ts';
import { endOf } from './claim.ts';
import { lookAtEarlierRuns } from './earlier-runs.ts';
import { goOn, leaveFor } from './park.ts';
import type { Run, State } from './state.ts';

// A run that was Reset goes on with what was true at that point, but for the task that an earlier run has got since: that
// is taken before anything else is shown or asked.

/** A submit looks by itself; who has a task goes on with that one. */
export function lookingBack(state: State, run: Run): State {
  run.resets.see();
  const { stage } = state;
  return { ...state, looksBack: 'search' in stage || stage.at === 'park' || stage.at === 'ask' };
}

export async function lookBack(before: State, run: Run): Promise<State> {
  const looked = await lookAtEarlierRuns(run, { ...before, looksBack: undefined });
  const { state, taskId, more } = looked;
  const { stage } = state;
  if ('search' in stage) return (await endOf(run, looked, stage.search)) ?? state;
  // What only a submit can take over is not to wait for credits.
  if (stage.at === 'park' && more === true) return await goOn(state, run, stage.parkId);
  if (taskId === undefined) return state;
  if (stage.at === 'park') return await leaveFor(state, stage, run, taskId);
  return 'wait' in stage ? afterVanished(run, state, stage, { action: 'adopt', taskId }) : state;
}
