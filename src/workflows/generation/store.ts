import { condition } from '@temporalio/workflow';
import type { StoreReport } from '../../contract/tasks/task-look.ts';
import { summary } from './activities.ts';
import { type Look, lookAt } from './look.ts';
import { endsWorkers } from './projections.ts';
import { type Run, type State, type Storing, valueOf, withNews } from './state.ts';
import { storeOrEnd } from './store-or-end.ts';

/** Waits for the next try to store a completed task's files, and tries once. */
export async function store(before: State, stage: Storing, run: Run): Promise<State> {
  const { task, settledBy } = stage;
  await untilNextTry(before, stage, run);
  const asked = run.now().heard.looks;
  const again = await lookAt(run, task.taskId, 'files');
  const isRerun = again.rerun ?? before.isRerun;
  const state: State = { ...withNews(run, before), looked: asked, isRerun };
  const isLost = again.kind === 'lost' && again.atFiles;
  const report: StoreReport =
    again.kind === 'completed' ? again.files : { kind: 'delayed', reason: whyNot(again), url: null };
  const lostWorkers = stage.lostWorkers + (isLost ? 1 : 0);
  return storeOrEnd(run, state, { task, settledBy, report }, { ...stage, lostWorkers });
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
    summary: summary(`storing is held up: ${report.reason}`),
  });
}

/** Why a fresh record does not help. */
function whyNot(look: Exclude<Look, { kind: 'completed' }>): string {
  if (look.kind === 'unavailable' || look.kind === 'lost') return `cannot read the record: ${look.reason}`;
  if (look.kind === 'not-found') return 'the API does not know the task now';
  return look.kind === 'open' ? 'its record says that it is not done' : `its record says ${look.status} now`;
}
