import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  sleep,
  upsertMemo,
} from '@temporalio/workflow';
import { generationCode } from '../../api/codes.ts';
import { ERROR_PREFIX, type Family } from '../../api/family.ts';
import { NO_USAGE } from '../../api/usage.ts';
import { afterFailure, budgetRefuses } from '../../policy/after-failure.ts';
import { backoffDelay } from '../../policy/backoff.ts';
import { parsePolicy } from '../../policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../../policy/policy.ts';
import type { GenerationRequest, GenerationResult } from '../contract.ts';
import { local, summary } from './activities.ts';
import { askPerson } from './ask.ts';
import { generationFailure } from './failure.ts';
import { handleMessages } from './handlers.ts';
import { park } from './park.ts';
import { reconcile } from './reconcile.ts';
import { GenerationRun, type HeldTask } from './run.ts';
import { storeResult } from './store.ts';
import { type SubmitEnd, submit } from './submit.ts';
import { type WaitEnd, waitForRecord } from './wait.ts';

/** A row of unknown submits is not bought on forever, whatever the policy says. */
const MAX_UNKNOWN_IN_A_ROW = 5;

type Rejection = Extract<SubmitEnd, { kind: 'rejected' }>;

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
    const message = first === undefined ? 'the request is invalid' : `${first.path}: ${first.message}`;
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
    const found = await reconcile(run, input(), end);
    if (found.kind === 'task') return found.task;
    run.record({
      taskId: null,
      outcome: 'unknown',
      code: null,
      usage: NO_USAGE,
      settledBy: null,
      adopted: false,
    });
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

/** A submit that was rejected for good: park, try a new seed, or fail. */
async function afterRejection(run: GenerationRun, end: Rejection, newSeed: () => void): Promise<void> {
  const code = generationCode(end.code);
  if (code === 'INSUFFICIENT_CREDITS' && (await park(run, { ...end, price: knownPrice(run) }))) return;
  run.record({
    taskId: null,
    outcome: 'rejected',
    code: end.code === 'INVALID_REQUEST' ? null : end.code,
    usage: NO_USAGE,
    settledBy: null,
    adopted: false,
  });
  const next = afterFailure(end.code, failuresWith(run, end.code), run.policy);
  if (code !== 'CONTENT_REJECTED' || next.action !== 'resubmit') {
    throw generationFailure(run, end.code, end.message, end.errors);
  }
  newSeed();
  await backOff(run, end.code, next.failures);
}

/** A task that ended without a result: ask, resubmit after a pause, park, or fail. */
async function afterTask(
  run: GenerationRun,
  task: HeldTask,
  end: WaitEnd,
  family: Family,
  newSeed: () => void,
): Promise<void> {
  const { taskId, adopted, usage } = task;
  if (end.kind === 'overdue') {
    run.record({ taskId, outcome: 'overdue', code: null, usage, settledBy: null, adopted });
    throw generationFailure(
      run,
      'TASK_OVERDUE',
      `task ${taskId} has not ended within its deadline; a Reset adopts it if it still does`,
    );
  }
  if (end.kind === 'vanished') {
    run.record({ taskId, outcome: 'vanished', code: null, usage, settledBy: null, adopted });
    await afterVanished(run, taskId);
    return;
  }
  const { record, settledBy } = end;
  if (record.status === 'CANCELED') {
    run.record({ taskId, outcome: 'canceled', code: record.code, usage, settledBy, adopted });
    throw generationFailure(run, 'TASK_CANCELED', `task ${taskId} was canceled on the API's side`);
  }
  const code = record.code ?? `${ERROR_PREFIX[family]}_FAILED`;
  const message = record.message ?? `task ${taskId} failed with ${code}`;
  run.record({ taskId, outcome: 'failed', code, usage, settledBy, adopted });
  const next = afterFailure(code, failuresWith(run, code), run.policy);
  if (next.action === 'fail') throw generationFailure(run, code, message);
  if (next.action === 'park') {
    if (await park(run, { message, price: knownPrice(run) })) return;
    throw generationFailure(run, code, message);
  }
  if (next.newSeed) newSeed();
  checkBudget(run);
  await backOff(run, code, next.failures);
}

/** The API does not know a task that we hold: as with an unknown submit, a person, a resubmit, or the end. */
async function afterVanished(run: GenerationRun, taskId: string): Promise<void> {
  const { otherwise } = run.policy.reconcile;
  const note = `the API no longer knows task ${taskId}`;
  const decision =
    otherwise === 'ask'
      ? await askPerson(run, `${note}: decide "resubmit", "adopt" (another taskId) or "fail"`)
      : undefined;
  if (decision?.action === 'adopt' && decision.taskId !== undefined) {
    run.adoptNext = decision.taskId;
    return;
  }
  if ((decision?.action ?? otherwise) === 'resubmit') return;
  throw generationFailure(run, 'TASK_VANISHED', note);
}

async function backOff(run: GenerationRun, code: string, failures: number): Promise<void> {
  const row = generationCode(code);
  if (row === undefined) return;
  const delay = backoffDelay(run.policy.retries[row], failures, Math.random());
  run.enter('submitting', `trying again after ${code}`);
  await sleep(delay, { summary: summary(`pause after ${code}`) });
}

function checkBudget(run: GenerationRun): void {
  const { total } = run.usage();
  if (run.attempts.length === 0 || !budgetRefuses(run.policy.budget, total, knownPrice(run))) return;
  throw generationFailure(
    run,
    'BUDGET_EXCEEDED',
    `${total} credits are spent and the budget is ${run.policy.budget?.credits}: no further attempt`,
  );
}

/** What a task of this generation costs, where an earlier attempt has shown it. */
function knownPrice(run: GenerationRun): number | undefined {
  const prices = run.attempts.map(({ usage }) => usage.total).filter((total) => total > 0);
  return prices.length === 0 ? undefined : Math.max(...prices);
}

function failuresWith(run: GenerationRun, code: string): number {
  return run.attempts.filter((attempt) => attempt.code === code).length;
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
