import type { EarlierTask } from '../../contract/activities.ts';
import { local, orElse } from './activities.ts';
import { withForeign } from './attempts.ts';
import { endOf } from './claim.ts';
import type { Looked } from './evidence.ts';
import { goOn } from './park.ts';
import { type Run, type State, withNews } from './state.ts';
import { submitInput } from './submit.ts';
import { adopt } from './transitions.ts';
import { afterVanished } from './wait.ts';

/**
 * Whether an earlier run has got a task since: a Reset may have brought a question back. Asked by every run, because a
 * Reset can make a re-run of a first run at whatever point.
 */
export async function lookAtEarlierRuns(
  run: Run,
  before: State,
): Promise<Looked & Pick<EarlierTask, 'more'>> {
  // Where that cannot be told a person is asked, and a submit that follows looks again.
  const asked = local.earlierTask(submitInput(run, before));
  const none: EarlierTask = { taskId: null, more: true };
  const { taskId: found, foreign, rerun, more } = await orElse(asked, () => none);
  const taskId = found ?? undefined;
  const state = { ...withNews(run, before), isRerun: rerun ?? before.isRerun };
  return { state: withForeign(state, taskId, foreign), taskId, more };
}

/**
 * A run that was Reset goes on with what was true at that point, but for the task that an earlier run has got since: that is
 * taken before anything else is shown or asked. A submit looks by itself; who has a task goes on with that one.
 */
export function lookingBack(state: State, run: Run): State {
  run.resets.see();
  const { stage } = state;
  const looksBack = 'search' in stage || stage.at === 'park' || stage.at === 'ask';
  return { ...state, looksBack, lookedBack: undefined };
}

export async function lookBack(before: State, run: Run): Promise<State> {
  const looked = await lookAtEarlierRuns(run, { ...before, looksBack: undefined });
  const { state, taskId, more } = looked;
  const { stage } = state;
  if ('search' in stage) return (await endOf(run, looked, stage.search)) ?? state;
  // What only a submit can take over is not to wait for credits.
  if (stage.at === 'park' && (taskId !== undefined || more === true)) {
    const left = await goOn(state, run, stage.parkId);
    return taskId === undefined ? left : adopt(left, taskId);
  }
  const isAsked = taskId !== undefined && 'wait' in stage;
  return isAsked ? afterVanished(run, state, stage.wait.task, { action: 'adopt', taskId }) : state;
}
