import type { StepItem } from '../../contract/pipeline.ts';
import type { PaidTask } from '../../contract/purchases/told-tasks.ts';
import type { LeftTasks, StepEnd } from '../../contract/steps/carried-pipeline.ts';
import { outputsOf } from '../../contract/steps/resolve-input.ts';
import type { LookedAt } from '../../contract/steps/step-look.ts';
import { type Job, ordered } from './job.ts';
import { countedBefore } from './left-tasks.ts';
import type { Run } from './run.ts';
import { counted, learned, settled } from './settle.ts';
import type { State } from './state.ts';
import { paidFor } from './told-by.ts';

/** A generation that has ended: how, and what it has paid for. */
export interface Ended {
  end: StepEnd;
  tasks: readonly PaidTask[];
}

/** @param left to the generation by the run before it */
export function endedAs(
  item: StepItem,
  startedAt: number,
  { left, found }: { left: LeftTasks | undefined; found: LookedAt | undefined },
): Ended {
  const before = countedBefore(item, left);
  const end = { item, startedAt, ...(before === undefined ? {} : { countedBefore: before }) };
  return { end, tasks: paidFor(found, item) };
}

/** As a look has found it. */
export function endFound({ workflowId }: Job, found: LookedAt, left: LeftTasks | undefined): Ended {
  if (found.kind === 'completed') {
    const item: StepItem = { status: 'COMPLETED', workflowId, result: found.result };
    return endedAs(item, found.startedAt, { left, found });
  }
  // What ran when it was looked at before, somebody has deleted.
  const gone = { type: 'UNKNOWN', message: 'the server no longer has the generation', details: null };
  const { failure, startedAt } = found.kind === 'failed' ? found : { failure: gone, startedAt: Date.now() };
  return endedAs({ status: 'FAILED', workflowId, failure }, startedAt, { left, found });
}

/** It is the end of what the step needs. What was paid for it is counted, as far as it is not counted yet. */
export function settledBy(run: Run, job: Job, { end, tasks }: Ended): (state: State) => State {
  run.made.set(job.path, Promise.resolve(outputsOf(end.item)));
  return (state) => settled(accounted(state, job, { end, tasks }), job.path, end);
}

/** What it has cost is counted, and shows the price. */
export function accounted(state: State, job: Job, { end, tasks }: Ended): State {
  return counted(learned(state, ordered(job), end.item), job.path, tasks);
}
