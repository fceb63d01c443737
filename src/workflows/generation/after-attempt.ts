import { sleep } from '@temporalio/workflow';
import { ERROR_PREFIX } from '../../api/family.ts';
import type { Decision } from '../../contract/generation.ts';
import { budgetRefuses } from '../../policy/budget.ts';
import { type NextStep, nextStep } from '../../policy/next-step.ts';
import { summary } from './activities.ts';
import { GenerationEnd } from './failure.ts';
import type { Steps } from './generation.ts';
import { park } from './park.ts';
import type { HeldTask } from './run.ts';
import type { SubmitEnd } from './submit.ts';
import type { WaitEnd } from './wait.ts';

/** What follows a task that ended without a result. */
export type AfterTask =
  /** `parkedSince`: since when the run has been without credits, in milliseconds since the epoch. */
  { kind: 'buy'; parkedSince?: number } | { kind: 'adopt'; taskId: string };

/**
 * A submit that was rejected for good: park, try a new seed, or fail.
 *
 * @param parkedSince since when the run has been without credits, in milliseconds since the epoch
 * @returns the same, for the next submit
 */
export async function afterRejection(
  steps: Steps,
  end: Extract<SubmitEnd, { kind: 'rejected' }>,
  parkedSince: number | undefined,
): Promise<number | undefined> {
  const { run, plan } = steps;
  const { code, message, available } = end;
  const next = decide(steps, 'submit', code, run.endsWith(code) + 1);
  if (next.kind === 'park') {
    const since = parkedSince ?? Date.now();
    const refusal = { message, pace: next.pace, parkedSince: since, price: run.knownPrice, available };
    if (await park(steps, refusal)) return since;
  }
  run.reject(code === 'INVALID_REQUEST' ? null : code);
  if (next.kind !== 'resubmit') throw new GenerationEnd(code, message, end.errors);
  if (next.newSeed) plan.takeNewSeed();
  await pause(steps, code, next.delay);
  return undefined;
}

/** A task that ended without a result: ask, resubmit after a pause, park, or fail. */
export async function afterTask(steps: Steps, task: HeldTask, end: WaitEnd): Promise<AfterTask> {
  const { run, plan } = steps;
  const { taskId } = task;
  if (end.kind === 'overdue') {
    run.settle(task, 'overdue', end.settledBy);
    const unread = end.unread === undefined ? '' : `; ${end.unread}`;
    throw new GenerationEnd(
      'TASK_OVERDUE',
      `task ${taskId} has not ended within its deadline${unread}; a Reset adopts it if it still does`,
    );
  }
  if (end.kind === 'vanished') {
    run.settle(task, 'vanished', end.settledBy);
    return await afterVanished(steps, taskId, end.decision);
  }
  if (end.look.kind === 'completed') throw new TypeError('a completed task has a result'); // the caller has stored it
  const { look } = end;
  if (look.status === 'CANCELED') {
    run.settle(task, 'canceled', end.settledBy, look.code);
    refuseAnother(steps, taskId, "was canceled on the API's side");
    throw new GenerationEnd('TASK_CANCELED', `task ${taskId} was canceled on the API's side`);
  }
  const code = look.code ?? `${ERROR_PREFIX[plan.family]}_FAILED`;
  const message = look.message ?? `task ${taskId} failed with ${code}`;
  run.settle(task, 'failed', end.settledBy, code);
  refuseAnother(steps, taskId, `has failed (${message})`);
  const next = decide(steps, 'task', code, run.endsWith(code));
  if (next.kind === 'park') {
    checkBudget(steps);
    const parkedSince = Date.now();
    const parked = await park(steps, { message, pace: next.pace, parkedSince, price: run.knownPrice });
    if (parked) return { kind: 'buy', parkedSince };
  }
  if (next.kind !== 'resubmit') throw new GenerationEnd(code, message);
  checkBudget(steps);
  if (next.newSeed) plan.takeNewSeed();
  await pause(steps, code, next.delay);
  return { kind: 'buy' };
}

/** The API does not know a task that we hold: as with an unknown submit, a person, a resubmit, or the end. */
async function afterVanished(steps: Steps, taskId: string, decision?: Decision): Promise<AfterTask> {
  const { plan } = steps;
  const { otherwise } = plan.policy.reconcile;
  const note = `the API no longer knows task ${taskId}`;
  if (decision?.action === 'adopt' && decision.taskId !== undefined) {
    return { kind: 'adopt', taskId: decision.taskId };
  }
  if ((decision?.action ?? otherwise) === 'resubmit') return { kind: 'buy' };
  refuseAnother(steps, taskId, 'is no longer known to the API');
  throw new GenerationEnd('TASK_VANISHED', note);
}

/** Where nothing may be bought, what was taken over and has come to nothing ends the run, with the reason for that. */
function refuseAnother({ run }: Steps, taskId: string, how: string): void {
  const { adoptOnly } = run.request;
  if (adoptOnly === undefined) return;
  throw new GenerationEnd(
    adoptOnly.type,
    `task ${taskId}, which was taken over, ${how}; another one: ${adoptOnly.message}`,
  );
}

function decide({ plan }: Steps, column: 'submit' | 'task', code: string, count: number): NextStep {
  return nextStep({ column, code, count }, plan.policy, Math.random);
}

async function pause({ run }: Steps, code: string, delay: number): Promise<void> {
  run.enter('submitting', `trying again after ${code}`);
  await sleep(delay, { summary: summary(`pause after ${code}`) });
}

/** Refuses a further attempt that the budget does not admit. */
export function checkBudget({ run, plan }: Steps): void {
  const { total } = run.usage();
  const price = run.knownPrice;
  const unknown = run.unknowns;
  if (run.attempts.length === 0 || !budgetRefuses(plan.policy.budget, total, price, unknown)) return;
  const next = price === undefined ? 'no further attempt' : `no further attempt for ${price}`;
  const besides = unknown === 0 ? '' : `, ${unknown} submit(s) may have cost more`;
  throw new GenerationEnd(
    'BUDGET_EXCEEDED',
    `${total} credits are spent${besides} and the budget is ${plan.policy.budget?.credits}: ${next}`,
  );
}
