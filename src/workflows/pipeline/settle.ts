import type { Ordered } from '../../contract/generation.ts';
import { MOST_RESULT_BYTES } from '../../contract/limits.ts';
import type { StepItem } from '../../contract/pipeline.ts';
import { Prices } from '../../contract/purchases/prices.ts';
import { attemptsOf, countedBefore, paidFor } from '../../contract/purchases/told-by-end.ts';
import { mergeTasks, type PaidTask } from '../../contract/purchases/told-tasks.ts';
import type { LeftTasks, StepEnd } from '../../contract/steps/carried-pipeline.ts';
import { type Output, outputsOf } from '../../contract/steps/resolve-input.ts';
import { fitted } from '../../contract/steps/room.ts';
import type { LookedAt } from '../../contract/steps/step-look.ts';
import { type Job, ordered } from './job.ts';
import { type Change, put, type State, stepAt } from './state.ts';

/** A step, or an item of one, has ended. A step that has failed may be held; one that is fanned out, when all items have ended. */
export function settled(state: State, path: string, end: StepEnd): State {
  const isItem = path.includes('/');
  const isHeld = !isItem && end.item.status === 'FAILED' && stepAt(state, path).onFailure === 'hold';
  const next = put(state, [path, isHeld ? { at: 'held', end } : { at: 'done', ...end }]);
  const heard = new Map(state.heard);
  heard.delete(path);
  return { ...next, heard, steps: fitted(next.steps, MOST_RESULT_BYTES) };
}

/** Nothing was started for it. */
export function settledAs(state: State, path: string, item: StepItem): State {
  return settled(state, path, { item });
}

/** What was paid for a generation is counted, as far as it is not counted yet: it may have adopted what was before. */
export function counted(state: State, path: string, tasks: readonly PaidTask[]): State {
  if (state.request.budget === undefined) return state;
  const before = state.counted.get(path) ?? [];
  const after = mergeTasks([before, tasks]);
  if (after.length === 0) return state;
  const spent = state.spent + sumOf(after) - sumOf(before);
  return { ...state, spent, counted: new Map(state.counted).set(path, after) };
}

/** What was tried shows the price, in vain or not. */
export function learned(state: State, order: Ordered, item: StepItem): State {
  const prices = new Prices(state.prose, state.prices);
  prices.learn(order, attemptsOf(item));
  return { ...state, prices: prices.entries() };
}

function sumOf(tasks: readonly PaidTask[]): number {
  return tasks.reduce((sum, [, credits]) => sum + credits, 0);
}

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
export function settledBy(
  run: { readonly made: Map<string, Promise<readonly Output[]>> },
  job: Job,
  { end, tasks }: Ended,
): Change {
  run.made.set(job.path, Promise.resolve(outputsOf(end.item)));
  return (state) => settled(accounted(state, job, { end, tasks }), job.path, end);
}

/** What it has cost is counted, and shows the price. */
export function accounted(state: State, job: Job, { end, tasks }: Ended): State {
  return counted(learned(state, ordered(job), end.item), job.path, tasks);
}
