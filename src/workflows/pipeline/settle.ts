import type { Ordered } from '../../contract/generation.ts';
import { MOST_RESULT_BYTES } from '../../contract/limits.ts';
import type { StepItem } from '../../contract/pipeline.ts';
import { Prices } from '../../contract/purchases/prices.ts';
import { mergeTasks, type PaidTask } from '../../contract/purchases/told-tasks.ts';
import type { StepEnd } from '../../contract/steps/carried-pipeline.ts';
import { fitted } from './room.ts';
import { put, type State, stepAt } from './state.ts';
import { attemptsOf } from './told-by.ts';

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
