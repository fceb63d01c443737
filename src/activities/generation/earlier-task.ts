import type { EarlierTask } from '../../contract/activities.ts';
import type { SubmitTaskInput } from '../../contract/tasks/submit-task.ts';
import type { ActivityDeps } from '../deps.ts';
import { checkSubmit } from './check-submit.ts';
import { findEarlierPurchase } from './earlier-purchases.ts';
import { findStoredPurchase } from './stored-purchases.ts';
import { findToldMeanwhile } from './told-meanwhile.ts';

/**
 * What a submit would take over from earlier runs, if there were one now: for a run that is about to ask a person what to
 * do, or waits for credits. A doubt that an earlier run has left is the submit's to take over.
 *
 * @throws ApplicationFailure while a record cannot be read
 */
export async function earlierTask(deps: ActivityDeps, input: SubmitTaskInput): Promise<EarlierTask> {
  const submit = await checkSubmit(deps, input);
  const found =
    (await findEarlierPurchase(deps, submit, submit.access, {})) ??
    (await findToldMeanwhile(deps, submit, {})) ??
    (await findStoredPurchase(deps, submit, {}));
  if (found?.kind === 'accepted') return { taskId: found.taskId };
  return { taskId: null, ...(found === undefined ? {} : { more: true }) };
}
