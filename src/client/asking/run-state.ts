import { DarkroomState } from '../../contract/search-attributes.ts';
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

/** Ends without a result. A later run of the same id makes up for one, so that nobody has to look at it any more. */
const IN_VAIN: ReadonlySet<string> = new Set(['Failed', 'Canceled', 'Terminated', 'TimedOut']);

/** Whether somebody who asks for runs in that state asks for what has ended in vain. */
export function isInVain(state: string): boolean {
  const [name, , status = ''] = inState(state);
  return name === 'ExecutionStatus' && IN_VAIN.has(status);
}

/** Runs in a state: how they stand with Temporal (`running`, `failed`, …), or one of Darkroom's (`needs a decision`). */
export function inState(state: string): Condition {
  const status = Object.hasOwn(STATUSES, state) ? STATUSES[state] : undefined;
  return status === undefined ? [DarkroomState.name, '=', state] : ['ExecutionStatus', '=', status];
}
