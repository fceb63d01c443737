import { ApplicationFailure, CancelledFailure, isCancellation, TemporalFailure } from '@temporalio/workflow';
import type { FailureDetails, GenerationResult } from '../../contract/generation.ts';
import { heldTask } from './attempts.ts';
import { billOf } from './projections.ts';
import { at, type Done, type Run, type State } from './state.ts';
import { fail, leaveSearch } from './transitions.ts';

/**
 * A stage that could not be ended: the run is being cancelled, or Temporal has failed at something. The API has no cancel
 * call, so a task that is held or looked for goes on there, and on record. Any other error is a bug, and is Temporal's to
 * repeat until it is mended.
 */
export function afterError(run: Run, state: State, error: unknown): State {
  if (!(error instanceof TemporalFailure)) throw error;
  const { stage } = state;
  const left = 'search' in stage ? leaveSearch(run, state, stage.search.unknown) : state;
  if (!isCancellation(error)) return fail(left, { type: 'UNKNOWN', message: error.message });
  return at(left, { at: 'done', end: { kind: 'cancelled' }, task: heldTask(state) });
}

/**
 * The result of a run that is over.
 *
 * @throws ApplicationFailure whose first detail tells what was tried and what it cost. Not retryable: a policy, not
 *   Temporal, decides about another purchase
 */
export function conclude(state: State, { end }: Done): GenerationResult {
  switch (end.kind) {
    case 'completed':
      return { ...end.result, ...billOf(state) };
    case 'failed': {
      const { type, message, errors } = end;
      const details: [FailureDetails] = [{ ...billOf(state), ...(errors === undefined ? {} : { errors }) }];
      throw ApplicationFailure.create({ type, message, nonRetryable: true, details });
    }
    case 'cancelled':
      break;
  }
  throw new CancelledFailure('the generation was cancelled');
}
