import type { StoreReport } from '../../contract/tasks/task-look.ts';
import { pollingInterval } from '../../policy/backoff.ts';
import { formatDuration } from '../../policy/duration.ts';
import { triedAgain, triedFor } from '../../policy/patience.ts';
import { settle } from './attempts.ts';
import { at, type HeldTask, policyOf, type Run, type SettledBy, type State, type Storing } from './state.ts';
import { fail } from './transitions.ts';

/** Pauses between tries, in milliseconds. */
const PACE = { first: 500, factor: 2, max: 5 * 60_000 };
/** Before the next look for a place, in milliseconds. */
const WITHOUT_PLACE = 5_000;

/** A completed task, and what a try to store its files has come to. */
interface Tried {
  task: HeldTask;
  settledBy: SettledBy;
  report: StoreReport;
}

/**
 * Makes sure that what a completed task made is stored, as a part of its completion: the API's URLs may expire. What
 * cannot be fetched or stored yet is tried again with growing pauses for `policy.outputs.wait`, each time by a fresh
 * record; what is refused by rule or gone ends at once, after one fresh record.
 *
 * @param before the tries before this one
 */
export function storeOrEnd(
  run: Run,
  state: State,
  { task, settledBy, report }: Tried,
  before?: Pick<Storing, 'tries' | 'tried' | 'pause' | 'lostWorkers'>,
): State {
  const { taskId } = task;
  const settled = (): State => settle(state, task, 'completed', { settledBy });
  if (report.kind === 'stored') {
    const { data, dataUri, outputs } = report;
    const found = { data, ...(dataUri === undefined ? {} : { dataUri }), outputs };
    const result = { taskId, model: run.request.model, status: 'COMPLETED' as const, ...found };
    return at(settled(), { at: 'done', end: { kind: 'completed', result } });
  }
  const giveUp = (reason: string): State =>
    fail(settled(), {
      type: 'OUTPUT_UNAVAILABLE',
      message: `task ${taskId} is done and paid for, but its output cannot be fetched: ${reason}`,
    });
  const { wait } = policyOf(state).outputs;
  const tries = (before?.tries ?? 0) + 1;
  if (report.kind !== 'delayed' && tries > 1) return giveUp(report.reason);
  const isTry = report.kind !== 'delayed' || report.untried !== true;
  const tried =
    isTry || before?.tried === undefined
      ? triedAgain(before?.tried, Date.now(), before?.pause ?? 0)
      : before.tried;
  if (isTry && triedFor(tried) >= wait) return giveUp(`${report.reason} (tried for ${formatDuration(wait)})`);
  // Who finds no place comes again soon: others had theirs meanwhile.
  const own = isTry ? pollingInterval(PACE, tries - 1) : WITHOUT_PLACE;
  const asked = report.kind === 'delayed' ? Math.max(own, report.retryAfter ?? 0) : 0;
  const pause = Math.min(asked, Math.max(1, wait - triedFor(tried)));
  const lostWorkers = before?.lostWorkers ?? 0;
  const nextAt = Date.now() + pause;
  return at(state, { at: 'store', task, settledBy, report, tries, tried, lostWorkers, pause, nextAt });
}
