import { local, whyFailed } from './activities.ts';
import { endOf } from './claim.ts';
import { at, policyOf, type Run, type Search, type State, withNews } from './state.ts';
import { submitInput } from './submit-input.ts';

/** The claim of a run that asks is put in again, in case that nobody knows of it any more: first after ten waits. */
const FIRST_PAUSE = 10;

/**
 * Asks a person about a submit, unless an earlier run has got a task.
 *
 * @param why what is known of a task that may be the one
 */
export async function beginAsking(run: Run, before: State, search: Search, why?: string): Promise<State> {
  const { state, end } = await lookAtEarlierRuns(run, before, search);
  if (end !== undefined) return end;
  const pause = FIRST_PAUSE * policyOf(state).reconcile.wait;
  return at(state, { at: 'ask', search, pause, renewAt: Date.now() + pause, why });
}

/**
 * Whether an earlier run has got a task since: a Reset may have brought the question back. Asked by every run, because a
 * Reset can make a re-run of a first run at whatever point.
 */
export async function lookAtEarlierRuns(
  run: Run,
  before: State,
  search: Search,
): Promise<{ state: State; end?: State | undefined }> {
  // Where that cannot be told a person is asked, and a submit that follows looks again.
  const { taskId, rerun } = await local.earlierTask(submitInput(run, before)).catch((error: unknown) => {
    whyFailed(error);
    return { taskId: null, rerun: undefined };
  });
  const state = { ...withNews(run, before), isRerun: rerun ?? before.isRerun };
  return { state, end: taskId === null ? undefined : await endOf(run, { state, taskId }, search) };
}
