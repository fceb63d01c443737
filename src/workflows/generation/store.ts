import { condition } from '@temporalio/workflow';
import { cutLabel } from '../../contract/summary.ts';
import type { StoreReport } from '../../contract/tasks/task-look.ts';
import { pollingInterval } from '../../policy/backoff.ts';
import { formatDuration } from '../../policy/duration.ts';
import { triedAgain, triedFor } from '../../policy/patience.ts';
import { settle } from './attempts.ts';
import { type Look, lookAt } from './look.ts';
import { endsWorkers } from './projections.ts';
import type { HeldTask, Storing } from './stage.ts';
import { at, policyOf, type Run, type State, valueOf } from './state.ts';
import { fail } from './transitions.ts';

/** Pauses between tries, in milliseconds. */
const PACE = { first: 500, factor: 2, max: 5 * 60_000 };
/** How long a record that names no file may lag behind, in milliseconds. */
const LAGS = 10_000;
/** Before the next look for a place, in milliseconds. */
const WITHOUT_PLACE = 5_000;

const NOT_TRIED = { tries: 0, pause: 0, lostWorkers: 0 };

/** Waits for the next try to store a completed task's files, and tries once. */
export async function store(before: State, stage: Storing, run: Run): Promise<State> {
  const { task } = stage;
  await untilNextTry(before, stage, run);
  const { state, found } = await lookAt(run, before, task.taskId, 'files');
  const isLost = found.kind === 'lost' && found.atFiles;
  const report: StoreReport =
    found.kind === 'completed' ? found.files : { kind: 'delayed', reason: whyNot(found), url: null };
  const lostWorkers = stage.lostWorkers + (isLost ? 1 : 0);
  return storeOrEnd(run, state, { task, report }, { ...stage, lostWorkers });
}

async function untilNextTry(state: State, stage: Storing, run: Run): Promise<void> {
  const { report, nextAt } = stage;
  const { taskId } = stage.task;
  // One fresh record decides about what a rule refuses, or has gone.
  if (report.kind !== 'delayed') return;
  const isAsked = (): boolean => run.now().heard.looks > state.looked;
  if (endsWorkers(stage)) return await condition(isAsked);
  // The event that names the files may come after the record that names none.
  const wasTold = valueOf(state.heard.artifacts, taskId) !== undefined;
  const isTold = (): boolean => !wasTold && valueOf(run.now().heard.artifacts, taskId) !== undefined;
  const pause = nextAt - Date.now();
  if (pause <= 0) return;
  await condition(() => isAsked() || isTold(), pause, {
    summary: cutLabel(`storing is held up: ${report.reason}`),
  });
}

/** Why a fresh record does not help. */
function whyNot(look: Exclude<Look, { kind: 'completed' }>): string {
  if (look.kind === 'unavailable' || look.kind === 'lost') return `cannot read the record: ${look.reason}`;
  if (look.kind === 'not-found') return 'the API does not know the task now';
  return look.kind === 'open' ? 'its record says that it is not done' : `its record says ${look.status} now`;
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
  { task, report }: { task: HeldTask; report: StoreReport },
  before: Pick<Storing, 'tries' | 'tried' | 'none' | 'pause' | 'lostWorkers'> = NOT_TRIED,
): State {
  const { taskId } = task;
  const { lostWorkers } = before;
  const settled = (): State => settle(state, task, 'completed');
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
  const { outputs } = policyOf(state);
  const tries = before.tries + 1;
  if (report.kind !== 'delayed' && tries > 1) return giveUp(report.reason);
  const isTry = report.kind !== 'delayed' || report.untried !== true;
  const since = isTry ? undefined : before.tried;
  const tried = since ?? triedAgain(before.tried, Date.now(), before.pause);
  // That a record names no file is a trouble of its own: others may have lasted long.
  const isNone = report.kind === 'delayed' && report.none === true;
  const lacking = triedAgain(before.none, Date.now(), before.pause);
  const [patience, wait] = isNone ? [lacking, Math.min(LAGS, outputs.wait)] : [tried, outputs.wait];
  if (isTry && triedFor(patience) >= wait)
    return giveUp(`${report.reason} (tried for ${formatDuration(wait)})`);
  // Who finds no place comes again soon: others had theirs meanwhile.
  const own = isTry ? pollingInterval(PACE, tries - 1) : WITHOUT_PLACE;
  const asked = report.kind === 'delayed' ? Math.max(own, report.retryAfter ?? 0) : 0;
  const pause = Math.min(asked, Math.max(1, wait - triedFor(patience)));
  const nextAt = Date.now() + pause;
  const none = isNone ? lacking : before.none;
  return at(state, { at: 'store', task, report, tries, tried, none, lostWorkers, pause, nextAt });
}
