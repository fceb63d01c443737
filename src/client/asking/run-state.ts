import { closest } from '../../api/text/closest.ts';
import { shown } from '../../api/text/shown.ts';
import { DarkroomState, NEEDS_A_LOOK, SUBMITTING_AGAIN } from '../../contract/search-attributes.ts';
import type { Condition } from '../../temporal/list-runs.ts';

/** Temporal's words for how a run stands, as a query takes them. */
const STATUSES: Readonly<Record<string, string>> = {
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  canceled: 'Canceled',
  cancelled: 'Canceled',
  terminated: 'Terminated',
  'timed out': 'TimedOut',
};

const STATES: readonly string[] = [...Object.keys(STATUSES), ...NEEDS_A_LOOK, SUBMITTING_AGAIN];

/** Ends without a result. A later run of the same id makes up for one, so that nobody has to look at it any more. */
const IN_VAIN: ReadonlySet<string> = new Set(['Failed', 'Canceled', 'Terminated', 'TimedOut']);

/** Whether somebody who asks for runs in that state asks for what has ended in vain. */
export function isInVain(state: string): boolean {
  return Object.hasOwn(STATUSES, state) && IN_VAIN.has(STATUSES[state] ?? '');
}

/**
 * Runs in a state: how they stand with Temporal (`running`, `failed`, …), or one of Darkroom's (`needs a decision`).
 *
 * @throws RangeError for a state that there is not: no run in it would read as nothing to look at
 */
export function inState(state: string): Condition {
  if (!STATES.includes(state)) {
    const meant = closest(state, STATES);
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    throw new RangeError(`there is no state ${shown(state)}${hint} States: ${STATES.join(', ')}`);
  }
  const status = STATUSES[state];
  return status === undefined ? [DarkroomState.name, '=', state] : ['ExecutionStatus', '=', status];
}
