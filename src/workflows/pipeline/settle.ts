import { MOST_RESULT_BYTES } from '../../contract/limits.ts';
import type { StepItem } from '../../contract/pipeline.ts';
import { hasItemBoughtNothing } from '../../contract/purchases/bought-nothing.ts';
import { countedBefore } from '../../contract/purchases/told-by-end.ts';
import type { StepEnd } from '../../contract/steps/carried-pipeline.ts';
import type { Job } from '../../contract/steps/job.ts';
import { type Output, outputsOf } from '../../contract/steps/resolve-input.ts';
import { fitted } from '../../contract/steps/room.ts';
import type { LookedAt } from '../../contract/steps/step-look.ts';
import { type Change, put, type State, stepAt } from './state.ts';

/** A step, or an item of one, has ended. A step that has failed may be held; one that is fanned out, when all items have ended. */
export function settled(state: State, path: string, end: StepEnd): State {
  const isItem = path.includes('/');
  const isHeld = !isItem && end.item.status === 'FAILED' && stepAt(state, path).onFailure === 'hold';
  const before = countedBefore(end.item, state.tried.get(path));
  const own = before === undefined ? end : { ...end, countedBefore: before };
  const next = put(state, [path, isHeld ? { at: 'held', end: own } : { at: 'done', ...own }]);
  const mayHaveBought = state.mayHaveBought || !hasItemBoughtNothing(end.item);
  return { ...next, mayHaveBought, steps: fitted(next.steps, MOST_RESULT_BYTES) };
}

/** Nothing was started for it. */
export function settledAs(state: State, path: string, item: StepItem): State {
  return settled(state, path, { item });
}

/** A generation has ended as a look has found it. */
export function endFound({ workflowId }: Job, found: LookedAt): StepEnd {
  if (found.kind === 'completed') {
    const { result, startedAt } = found;
    return { item: { status: 'COMPLETED', workflowId, result }, startedAt };
  }
  // What ran when it was looked at before, somebody has deleted.
  const gone = { type: 'UNKNOWN', message: 'the server no longer has the generation', details: null };
  const { failure, startedAt } = found.kind === 'failed' ? found : { failure: gone, startedAt: Date.now() };
  return { item: { status: 'FAILED', workflowId, failure }, startedAt };
}

/** It is the end of what the step needs. */
export function settledBy(
  run: { readonly made: Map<string, Promise<readonly Output[]>> },
  { path }: Job,
  end: StepEnd,
): Change {
  run.made.set(path, Promise.resolve(outputsOf(end.item)));
  return (state) => settled(state, path, end);
}
