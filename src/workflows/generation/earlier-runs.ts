import type { EarlierTask } from '../../contract/activities.ts';
import { local, whyFailed } from './activities.ts';
import type { Looked } from './evidence.ts';
import { type Run, type State, withNews } from './state.ts';
import { submitInput } from './submit-input.ts';

/**
 * Whether an earlier run has got a task since: a Reset may have brought a question back. Asked by every run, because a
 * Reset can make a re-run of a first run at whatever point.
 */
export async function lookAtEarlierRuns(
  run: Run,
  before: State,
): Promise<Looked & Pick<EarlierTask, 'more'>> {
  // Where that cannot be told a person is asked, and a submit that follows looks again.
  const asked = local.earlierTask(submitInput(run, before)).catch((error: unknown): EarlierTask => {
    whyFailed(error);
    return { taskId: null, more: true };
  });
  const { taskId, rerun, more } = await asked;
  const state = { ...withNews(run, before), isRerun: rerun ?? before.isRerun };
  return taskId === null ? { state, more } : { state, taskId };
}
