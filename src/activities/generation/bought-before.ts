import type { LookedBack, SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import type { ActivityDeps } from '../deps.ts';
import { whyStillLooking } from '../unclaimed-tasks/open-looks.ts';
import { whyForgotten } from '../unclaimed-tasks/why-forgotten.ts';
import type { CheckedSubmit } from './check-submit.ts';
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
 * @throws as the looks
 */
export async function boughtBefore(
  deps: ActivityDeps,
  submit: CheckedSubmit,
  memory: LookMemory,
): Promise<SubmitTaskResult | undefined> {
  const { search } = memory;
  const purchase = { ...submit, lookedBack: memory.lookedBack ?? submit.lookedBack };
  const earlier = await findEarlierPurchase(deps, purchase, submit.access, search);
  if (earlier !== undefined) return earlier;
  memory.lookedBack = true;
  const stillLooking = await whyStillLooking(deps, submit, search);
  if (stillLooking !== undefined) return { kind: 'forgotten', reason: stillLooking };
  const bought =
    (await findToldMeanwhile(deps, submit, search)) ?? (await findStoredPurchase(deps, submit, search));
  if (bought !== undefined || submit.adoptOnly !== undefined) return bought;
  const forgotten = await whyForgotten(deps, submit);
  return forgotten === undefined ? undefined : { kind: 'forgotten', reason: forgotten };
}
