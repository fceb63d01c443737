import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { ACCOUNT_AWAY, CAP_REACHED, type Reservation } from '../account/reservation.ts';
import type { ActivityDeps } from '../deps.ts';
import type { CheckedSubmit } from './check-submit.ts';
import { type HoldUp, type Shown, showHoldUp } from './submit-notice.ts';

/** After so many waits its run shows it: about nine seconds for credits that others hold. Shorter ones cost no action. */
const LONG_WAIT = 8;
/** What holds a submit up that waits for anything else than a budget, by the failure of its try. */
const HOLD_UPS: Readonly<Record<string, HoldUp['by'] | undefined>> = {
  [CAP_REACHED]: 'cap',
  [ACCOUNT_AWAY]: 'account',
};

/** What an attempt leaves to the next one. */
export interface ReservationMemory {
  /** How often what is left of a budget or cap was reserved for others. */
  reservedWaits?: number;
  /** What the run was told that holds it up. */
  shown?: Shown;
}

/** For what a submit will cost, in each budget and cap that it counts in; undefined: in none. */
export function reservationOf({ payers }: ActivityDeps, request: CheckedSubmit): Reservation | undefined {
  const { workflowExecution, activityId, attempt } = Context.current().info;
  const { workflowId = '', runId = '' } = workflowExecution ?? {};
  const { workspace, model, tags = {}, budgetsAbove = [], plan } = request;
  const { budget } = plan.policy;
  const own = budget === undefined ? [] : [{ workflowId, credits: budget.credits }];
  return payers.reservation(
    { workspace, model, tags, budgets: [...own, ...budgetsAbove] },
    { workflowId, runId, activityId, workspace },
    attempt,
  );
}

/** @throws where the submit is refused, or is to come again */
export async function reserve(
  { prices, temporal }: ActivityDeps,
  request: CheckedSubmit,
  reservation: Reservation | undefined,
  memory: ReservationMemory,
): Promise<void> {
  if (reservation === undefined) return;
  try {
    await reservation.make(prices.of(request), memory.reservedWaits ?? 0);
  } catch (error) {
    if (!(error instanceof ApplicationFailure) || error.nonRetryable === true) throw error;
    memory.reservedWaits = (memory.reservedWaits ?? 0) + 1;
    const by = HOLD_UPS[error.type ?? ''] ?? 'budget';
    // A shorter wait tells nothing new: what is shown stands until a POST is answered.
    if (by === 'cap' || memory.reservedWaits >= LONG_WAIT)
      await showHoldUp(temporal, memory, { by, reason: error.message });
    throw error;
  }
}
