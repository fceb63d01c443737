import type { SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import type { ActivityDeps } from '../deps.ts';
import type { CheckedSubmit } from './check-submit.ts';
import { type EarlierSearch, findEarlierPurchase } from './earlier-purchases.ts';
import { findStoredPurchase } from './stored-purchases.ts';
import { findToldMeanwhile } from './told-meanwhile.ts';

/**
 * What a submit takes over instead of buying: what earlier runs have bought, or what the store alone knows of. Undefined
 * means: buy.
 *
 * @param search kept from attempt to attempt
 * @throws as the three looks
 */
export async function boughtBefore(
  deps: ActivityDeps,
  submit: CheckedSubmit,
  search: EarlierSearch,
): Promise<SubmitTaskResult | undefined> {
  return (
    (await findEarlierPurchase(deps, submit, submit.access, search)) ??
    (await findToldMeanwhile(deps, submit, search)) ??
    (await findStoredPurchase(deps, submit, search))
  );
}
