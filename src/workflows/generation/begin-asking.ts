import { local, whyFailed } from './activities.ts';
import { endOf } from './claim.ts';
import { at, policyOf, type Run, type Search, type State } from './state.ts';
import { submitInput } from './submit-input.ts';

/** The claim of a run that asks is put in again, in case that nobody knows of it any more: first after ten waits. */
const FIRST_PAUSE = 10;

/**
 * Asks a person about a submit, unless an earlier run has got a task since: a Reset may have brought the question back.
 *
 * @param why what is known of a task that may be the one
 */
export async function beginAsking(run: Run, before: State, search: Search, why?: string): Promise<State> {
  // Where that cannot be told a person is asked, and a submit that follows looks again.
  const { taskId, rerun } = await local.earlierTask(submitInput(run, before)).catch((error: unknown) => {
    whyFailed(error);
    return { taskId: null, rerun: undefined };
  });
  const state = { ...before, isRerun: rerun ?? before.isRerun };
  const end = taskId === null ? undefined : await endOf(run, { state, taskId }, search);
  if (end !== undefined) return end;
  const pause = FIRST_PAUSE * policyOf(state).reconcile.wait;
  return at(state, { at: 'ask', search, pause, renewAt: Date.now() + pause, why });
}
