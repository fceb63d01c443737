import { sleep } from '@temporalio/workflow';
import { generationCode } from '../../api/codes.ts';
import { ERROR_PREFIX, type Family } from '../../api/family.ts';
import { NO_USAGE } from '../../api/usage.ts';
import { afterFailure, budgetRefuses } from '../../policy/after-failure.ts';
import { backoffDelay } from '../../policy/backoff.ts';
import { summary } from './activities.ts';
import { askPerson } from './ask.ts';
import { generationFailure } from './failure.ts';
import { park } from './park.ts';
import type { GenerationRun, HeldTask } from './run.ts';
import type { SubmitEnd } from './submit.ts';
import type { WaitEnd } from './wait.ts';

type Rejection = Extract<SubmitEnd, { kind: 'rejected' }>;

/** A submit that was rejected for good: park, try a new seed, or fail. */
export async function afterRejection(run: GenerationRun, end: Rejection, newSeed: () => void): Promise<void> {
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
export async function afterTask(
  run: GenerationRun,
  task: HeldTask,
  end: WaitEnd,
  family: Family,
  newSeed: () => void,
): Promise<void> {
  const { taskId, adopted, usage } = task;
  const { settledBy } = end;
  if (end.kind === 'overdue') {
    run.record({ taskId, outcome: 'overdue', code: null, usage, settledBy, adopted });
    throw generationFailure(
      run,
      'TASK_OVERDUE',
      `task ${taskId} has not ended within its deadline; a Reset adopts it if it still does`,
    );
  }
  if (end.kind === 'vanished') {
    run.record({ taskId, outcome: 'vanished', code: null, usage, settledBy, adopted });
    await afterVanished(run, taskId);
    return;
  }
  const { record } = end;
  if (record.status === 'CANCELED') {
    run.record({ taskId, outcome: 'canceled', code: record.code, usage, settledBy, adopted });
    throw generationFailure(run, 'TASK_CANCELED', `task ${taskId} was canceled on the API's side`);
  }
  const code = record.code ?? `${ERROR_PREFIX[family]}_FAILED`;
  const message = record.message ?? `task ${taskId} failed with ${code}`;
  run.record({ taskId, outcome: 'failed', code, usage, settledBy, adopted });
  const next = afterFailure(code, failuresWith(run, code), run.policy);
  if (next.action === 'fail') throw generationFailure(run, code, message);
  checkBudget(run);
  if (next.action === 'park') {
    if (await park(run, { message, price: knownPrice(run) })) return;
    throw generationFailure(run, code, message);
  }
  if (next.newSeed) newSeed();
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

export function checkBudget(run: GenerationRun): void {
  const { total } = run.usage();
  const price = knownPrice(run);
  if (run.attempts.length === 0 || !budgetRefuses(run.policy.budget, total, price)) return;
  const next = price === undefined ? 'no further attempt' : `no further attempt for ${price}`;
  throw generationFailure(
    run,
    'BUDGET_EXCEEDED',
    `${total} credits are spent and the budget is ${run.policy.budget?.credits}: ${next}`,
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
