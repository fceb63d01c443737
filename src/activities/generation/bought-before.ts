import type { EarlierTask } from '../../contract/activities.ts';
import type { LookedBack, SubmitTaskInput, SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import type { ActivityDeps } from '../deps.ts';
import { whyStillLooking } from '../unclaimed-tasks/open-looks.ts';
import { whyForgotten } from '../unclaimed-tasks/why-forgotten.ts';
import { type CheckedSubmit, checkSubmit } from './check-submit.ts';
import { type EarlierSearch, findEarlierPurchase } from './earlier-purchases.ts';
import { findStoredPurchase } from './stored-purchases.ts';
import { findToldMeanwhile } from './told-meanwhile.ts';

/** What the looks of an attempt leave to those of the next one. */
export interface LookMemory extends LookedBack {
  search: EarlierSearch;
}

/**
 * What a submit takes over instead of buying: what earlier runs have bought, what the run was told meanwhile, or what the
 * store alone knows of; or why it must not buy. Undefined means: buy.
 *
 * @param isToSubmit a request is to follow: so what `unclaimed-tasks/<workspace>` may still tell counts as well
 * @throws as the looks
 */
export async function boughtBefore(
  deps: ActivityDeps,
  submit: CheckedSubmit,
  memory: LookMemory,
  isToSubmit = true,
): Promise<SubmitTaskResult | undefined> {
  const { search } = memory;
  const purchase = { ...submit, lookedBack: memory.lookedBack ?? submit.lookedBack };
  const earlier = await findEarlierPurchase(deps, purchase, search);
  if (earlier !== undefined) return earlier;
  memory.lookedBack = true;
  const stillLooking = isToSubmit ? await whyStillLooking(deps, submit, search) : undefined;
  if (stillLooking !== undefined) return { kind: 'forgotten', reason: stillLooking };
  const bought =
    (await findToldMeanwhile(deps, submit, search)) ?? (await findStoredPurchase(deps, submit, search));
  if (bought !== undefined || !isToSubmit || (submit.refused ?? submit.adoptOnly) !== undefined)
    return bought;
  const forgotten = await whyForgotten(deps, submit);
  return forgotten === undefined ? undefined : { kind: 'forgotten', reason: forgotten };
}

/**
 * What a submit would take over, if there were one now: for a run that is about to ask a person what to do, or waits for
 * credits. A doubt that an earlier run has left is the submit's to take over.
 *
 * @throws ApplicationFailure while a record cannot be read
 */
export async function earlierTask(deps: ActivityDeps, input: SubmitTaskInput): Promise<EarlierTask> {
  const found = await boughtBefore(deps, await checkSubmit(deps, input), { search: {} }, false);
  if (found?.kind === 'accepted') return { taskId: found.taskId, foreign: found.foreign };
  return { taskId: null, ...(found === undefined ? {} : { more: true }) };
}
