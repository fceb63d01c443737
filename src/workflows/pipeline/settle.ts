import { MOST_RESULT_BYTES } from '../../contract/limits.ts';
import type { StepItem } from '../../contract/pipeline.ts';
import { countedBefore } from '../../contract/purchases/told-by-end.ts';
import type { LeftTasks, StepEnd } from '../../contract/steps/carried-pipeline.ts';
import { type Output, outputsOf } from '../../contract/steps/resolve-input.ts';
import { fitted } from '../../contract/steps/room.ts';
import type { LookedAt } from '../../contract/steps/step-look.ts';
import type { Job } from './job.ts';
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

/**
 * A generation that has ended.
 *
 * @param left to it by the run before it
 */
export function endedAs(item: StepItem, startedAt: number, left: LeftTasks | undefined): StepEnd {
  const before = countedBefore(item, left);
  return { item, startedAt, ...(before === undefined ? {} : { countedBefore: before }) };
}

/** As a look has found it. */
export function endFound({ workflowId }: Job, found: LookedAt, left: LeftTasks | undefined): StepEnd {
  if (found.kind === 'completed')
    return endedAs({ status: 'COMPLETED', workflowId, result: found.result }, found.startedAt, left);
  // What ran when it was looked at before, somebody has deleted.
  const gone = { type: 'UNKNOWN', message: 'the server no longer has the generation', details: null };
  const { failure, startedAt } = found.kind === 'failed' ? found : { failure: gone, startedAt: Date.now() };
  return endedAs({ status: 'FAILED', workflowId, failure }, startedAt, left);
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
