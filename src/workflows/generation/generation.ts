import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  upsertMemo,
} from '@temporalio/workflow';
import type { Family } from '../../api/family.ts';
import { NO_USAGE } from '../../api/usage.ts';
import type { Attempt, GenerationRequest, GenerationResult } from '../../contract/generation.ts';
import { parsePolicy } from '../../policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../../policy/policy.ts';
import { local } from './activities.ts';
import { afterRejection, afterTask, checkBudget } from './after-attempt.ts';
import { generationFailure } from './failure.ts';
import { handleMessages } from './handlers.ts';
import { type ReconcileEnd, reconcile } from './reconcile.ts';
import { GenerationRun, type HeldTask } from './run.ts';
import { storeResult } from './store.ts';
import { submit } from './submit.ts';
import { waitForRecord } from './wait.ts';

/** A row of unknown submits is not bought on forever, whatever the policy says. */
const MAX_UNKNOWN_IN_A_ROW = 5;

const UNKNOWN: Attempt = {
  taskId: null,
  outcome: 'unknown',
  code: null,
  usage: NO_USAGE,
  settledBy: null,
  adopted: false,
};

/**
 * Workflow `generation`: one paid task, charged once, its result stored. Submits, waits for the webhook's signal
 * or the next poll, stores the outputs; what follows a failure is the policy's table. Fails with an
 * ApplicationFailure whose type is the API's code or one of ours.
 */
export async function generation(request: GenerationRequest): Promise<GenerationResult> {
  const run = new GenerationRun(request, DEFAULT_POLICY);
  handleMessages(run);
  try {
    const { family, takesSeed } = await checkRequest(run, request);
    return await buyAndStore(run, family, takesSeed);
  } catch (error) {
    if (isCancellation(error)) leaveBehind(run);
    throw error;
  } finally {
    run.end();
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  }
}

/** Refuses a bad request before any network call, and lays the policy: defaults, configuration, request. */
async function checkRequest(
  run: GenerationRun,
  request: unknown,
): Promise<{ family: Family; takesSeed: boolean }> {
  const check = await local.checkGeneration(request ?? null);
  if (!check.ok) {
    const [first] = check.errors;
    const message = first === undefined ? 'the request is invalid' : `${first.path} ${first.message}`;
    throw generationFailure(run, 'INVALID_REQUEST', message, check.errors);
  }
  const configured = parsePolicy(check.policy, DEFAULT_POLICY).policy;
  run.policy = parsePolicy(run.request.policy, configured).policy;
  return check;
}

async function buyAndStore(
  run: GenerationRun,
  family: Family,
  takesSeed: boolean,
): Promise<GenerationResult> {
  let { input } = run.request;
  const newSeed = (): void => {
    if (takesSeed) input = { ...input, seed: Math.floor(Math.random() * 2 ** 31) };
  };
  for (;;) {
    const task = await buy(run, () => input, newSeed);
    run.hold(task);
    run.adoptNext = undefined;
    const end = await waitForRecord(run, task);
    if (end.kind === 'terminal' && end.record.status === 'COMPLETED') {
      return await storeResult(run, task, end.record, end.settledBy);
    }
    await afterTask(run, task, end, family, newSeed);
  }
}

/** Submits until the run holds a task, or throws why it cannot. */
async function buy(
  run: GenerationRun,
  input: () => Record<string, unknown>,
  newSeed: () => void,
): Promise<HeldTask> {
  let unknowns = 0;
  for (;;) {
    if (run.adoptNext !== undefined) return { taskId: run.adoptNext, usage: NO_USAGE, adopted: true };
    checkBudget(run);
    const end = await submit(run, input());
    if (end.kind === 'accepted') {
      run.parkedSince = undefined;
      return { taskId: end.taskId, usage: end.usage, adopted: end.adopted };
    }
    if (end.kind === 'rejected') {
      await afterRejection(run, end, newSeed);
      continue;
    }
    let found: ReconcileEnd | undefined;
    try {
      found = await reconcile(run, input(), end);
      if (found.kind === 'task') return found.task;
    } finally {
      // Also where a cancellation ends the search: a task may have been bought.
      if (found?.kind !== 'task') run.record(UNKNOWN);
    }
    unknowns += 1;
    if (found.kind === 'fail' || unknowns >= MAX_UNKNOWN_IN_A_ROW) {
      throw generationFailure(
        run,
        'SUBMISSION_UNKNOWN',
        `nobody can tell whether a task was bought: ${end.reason}`,
      );
    }
  }
}

/**
 * A cancelled run: the API has no cancel call, so the task's id and what it cost go on record. A memo, because
 * Temporal keeps no details of a cancellation.
 */
function leaveBehind(run: GenerationRun): void {
  if (run.task !== undefined) {
    run.note = `cancelled; task ${run.task.taskId} goes on at the API, and a Reset adopts it`;
  }
  upsertMemo({
    cancelled: { taskId: run.task?.taskId ?? null, usage: run.usage(), attempts: run.attempts },
  });
}
