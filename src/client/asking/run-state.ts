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

/** Runs in a state: how they stand with Temporal (`running`, `failed`, …), or one of Darkroom's (`needs a decision`). */
export function inState(state: string): Condition {
  const status = Object.hasOwn(STATUSES, state) ? STATUSES[state] : undefined;
  return status === undefined ? [DarkroomState.name, '=', state] : ['ExecutionStatus', '=', status];
}
