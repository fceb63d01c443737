import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
  log,
  TemporalFailure,
} from '@temporalio/workflow';
import { type Usage, usageOf } from '../../api/records/usage.ts';
import type { FailureDetails, GenerationResult } from '../../contract/generation.ts';
import { parentRun } from '../parent-run.ts';
import { accounts, orElse } from './activities.ts';
import { accountOf, chargedTo, foreignTasks, heldTask } from './attempts.ts';
import { billOf } from './projections.ts';
import type { Done } from './stage.ts';
import { at, type Run, type State, withNews } from './state.ts';
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

/** Counts what this very run has bought: its last step, also where it is cancelled. */
export async function bill(before: State, stage: Done, run: Run): Promise<State> {
  const charged = await CancellationScope.nonCancellable(() => chargedBy(run, before));
  return at(before, { ...stage, charged });
}

/**
 * The tasks in its account without those that an earlier run of the id has accounted for, and those of another input that
 * a person has had it adopt. To be asked at the very end: before it, a Reset could make a first run of a re-run, whose
 * history has no such question at that place.
 */
async function chargedBy(run: Run, before: State): Promise<Usage> {
  const { request, runId, firstRunId } = run;
  const { earlierRun } = request;
  const parent = parentRun(earlierRun !== undefined);
  const tasks = accountOf(before);
  const mayBeTold = parent !== undefined && tasks.some(({ adopted }) => adopted);
  // What was recorded comes first: a history that is replayed elsewhere does not tell the id of its run.
  const isRerun = before.isRerun || runId !== firstRunId || earlierRun !== undefined || mayBeTold;
  const isAsked = isRerun && usageOf(tasks).total > 0;
  // Where a history cannot be read: better a task is told as bought twice than not at all.
  const untold = (why: string): string[] => {
    log.warn(`cannot tell what earlier runs have accounted for, so all is: ${why}`);
    return [];
  };
  const told = isAsked ? await orElse(accounts.accountedTasks({ earlierRun, parent }), untold) : [];
  await condition(allHandlersFinished);
  // More may have been proven until now. From here on nothing is waited for: the account is what the run tells.
  const state = withNews(run, before);
  return chargedTo(state, new Set([...told, ...foreignTasks(state)]));
}

/** @throws ApplicationFailure, not retryable: a policy, not Temporal, decides about another purchase */
export function conclude(state: State, { end }: Done): GenerationResult {
  if (end.kind === 'completed') return { ...end.result, ...billOf(state) };
  if (end.kind === 'cancelled') throw new CancelledFailure('the generation was cancelled');
  const { type, message, errors } = end;
  const details: [FailureDetails] = [{ ...billOf(state), ...(errors === undefined ? {} : { errors }) }];
  throw ApplicationFailure.create({ type, message, nonRetryable: true, details });
}
