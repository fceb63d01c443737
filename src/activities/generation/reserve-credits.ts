import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { ACCOUNT_AWAY, CAP_REACHED } from '../../contract/tasks/submit-task.ts';
import { sourceSeconds } from '../../outputs/inputs/source-seconds.ts';
import type { Prices } from '../account/prices.ts';
import type { Reservation } from '../account/reservation.ts';
import type { ActivityDeps } from '../deps.ts';
import type { CheckedSubmit } from './check-submit.ts';
import type { EarlierSearch } from './earlier-purchases.ts';
import { type HoldUp, type Shown, showHoldUp } from './submit-notice.ts';

/** What holds a submit up, and after how many waits its run shows it: shorter ones cost no action. */
interface Wait extends Pick<HoldUp, 'by'> {
  shownFrom: number;
}

/** About nine seconds. */
const FOR_CREDITS: Wait = { by: 'budget', shownFrom: 8 };
/** By the failure of a try that waits for anything else. */
const WAITS: Readonly<Record<string, Wait | undefined>> = {
  [CAP_REACHED]: { by: 'cap', shownFrom: 1 },
  [ACCOUNT_AWAY]: { by: 'account', shownFrom: 3 },
};

/** What an attempt leaves to the next one. */
export interface ReservationMemory {
  search: EarlierSearch;
  /** How often what is left of a budget or cap was reserved for others. */
  reservedWaits?: number;
  /** The scope of the account in which they were. */
  busyWith?: string | undefined;
  /** What the run was told that holds it up. */
  shown?: Shown;
}

/** For what a submit will cost, in each budget and cap that it counts in; undefined: in none. */
export function reservationOf({ payers }: ActivityDeps, request: CheckedSubmit): Reservation | undefined {
  const { workflowExecution, activityId, attempt, startToCloseTimeoutMs } = Context.current().info;
  const { workflowId = '', runId = '' } = workflowExecution ?? {};
  const { workspace, model, tags = {}, plan } = request;
  return payers.reservation(
    { workspace, model, tags, budgets: plan.payers ?? [] },
    { workflowId, runId, activityId, workspace },
    { attempt, answeredWithin: startToCloseTimeoutMs },
  );
}

/**
 * @returns for what; undefined: for nothing
 * @throws where the submit is refused, or is to come again
 */
export async function reserve(
  deps: ActivityDeps,
  request: CheckedSubmit,
  reservation: Reservation | undefined,
  memory: ReservationMemory,
): Promise<ReturnType<Prices['of']> | undefined> {
  if (reservation === undefined) return undefined;
  const { prices, temporal } = deps;
  const { model, tags = {} } = request;
  const priced = prices.of({ ...request, sourceSeconds: await sourceSeconds(deps, request) });
  try {
    await reservation.make({ ...priced, model, tags }, memory.reservedWaits ?? 0, memory.busyWith);
    return priced;
  } catch (error) {
    if (!(error instanceof ApplicationFailure) || error.nonRetryable === true) throw error;
    memory.search.bought = reservation.bought;
    memory.busyWith = reservation.busyWith;
    memory.reservedWaits = (memory.reservedWaits ?? 0) + 1;
    const { by, shownFrom } = WAITS[error.type ?? ''] ?? FOR_CREDITS;
    // A shorter wait tells nothing new: what is shown stands until a POST is answered.
    if (memory.reservedWaits >= shownFrom) await showHoldUp(temporal, memory, { by, reason: error.message });
    throw error;
  }
}
