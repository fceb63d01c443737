import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  upsertMemo,
} from '@temporalio/workflow';
import { NO_USAGE } from '../../api/usage.ts';
import type { GenerationRequest, GenerationResult } from '../../contract/generation.ts';
import { local } from './activities.ts';
import { type AfterTask, afterRejection, afterTask, checkBudget } from './after-attempt.ts';
import { generationFailure } from './failure.ts';
import { handleMessages } from './handlers.ts';
import { Inbox } from './inbox.ts';
import { Plan } from './plan.ts';
import { type ReconcileEnd, reconcile, type UnknownSubmit } from './reconcile.ts';
import { GenerationRun, type HeldTask } from './run.ts';
import { storeResult } from './store.ts';
import { submit } from './submit.ts';
import { waitForRecord } from './wait.ts';

/** A row of unknown submits is not bought on forever, whatever the policy says. */
const MAX_UNKNOWN_IN_A_ROW = 5;

/** Everything that the steps of one run work with. */
export interface Steps {
  /** What is known. */
  run: GenerationRun;
  /** What comes in. */
  inbox: Inbox;
  /** What was asked for, checked. */
  plan: Plan;
}

/**
 * Workflow `generation`: one paid task, charged once, its result stored. Submits, waits for the webhook's signal
 * or the next poll, stores the outputs; what follows a failure is the policy's table. Fails with an
 * ApplicationFailure whose type is the API's code or one of ours.
 */
export async function generation(request: GenerationRequest): Promise<GenerationResult> {
  const run = new GenerationRun(request);
  const inbox = new Inbox();
  handleMessages(run, inbox);
  try {
    const plan = await checkRequest(run, request);
    return await buyAndStore({ run, inbox, plan });
  } catch (error) {
    if (isCancellation(error)) leaveBehind(run);
    throw error;
  } finally {
    run.end();
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  }
}

/** Refuses a bad request before any network call, and lays the policy: defaults, configuration, request. */
async function checkRequest(run: GenerationRun, request: unknown): Promise<Plan> {
  const check = await local.checkGeneration(request ?? null);
  if (check.ok) return new Plan(run.request, check);
  const [first] = check.errors;
  const message = first === undefined ? 'the request is invalid' : `${first.path} ${first.message}`;
  throw generationFailure(run, 'INVALID_REQUEST', message, check.errors);
}

async function buyAndStore(steps: Steps): Promise<GenerationResult> {
  const { run } = steps;
  let next: AfterTask = { kind: 'submit' };
  for (;;) {
    const task: HeldTask = next.kind === 'adopt' ? adopt(next.taskId) : await buy(steps, next.parkedSince);
    run.hold(task);
    const end = await waitForRecord(steps, task);
    if (end.kind === 'terminal' && end.record.status === 'COMPLETED') {
      return await storeResult(steps, task, end.record, end.settledBy);
    }
    next = await afterTask(steps, task, end);
  }
}

/**
 * Submits until the run holds a task, or throws why it cannot.
 *
 * @param since when the run has been without credits already, in milliseconds since the epoch
 */
async function buy(steps: Steps, since: number | undefined): Promise<HeldTask> {
  const { run } = steps;
  let parkedSince = since;
  let unknowns = 0;
  for (;;) {
    checkBudget(steps);
    const end = await submit(steps);
    if (end.kind === 'accepted') return { taskId: end.taskId, usage: end.usage, adopted: end.adopted };
    if (end.kind === 'rejected') {
      parkedSince = await afterRejection(steps, end, parkedSince);
      continue;
    }
    const found = await resolveUnknown(steps, end);
    if (found.kind === 'task') return adopt(found.taskId);
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

/** Also where a cancellation ends the search, the attempt goes on record: a task may have been bought. */
async function resolveUnknown(steps: Steps, unknown: UnknownSubmit): Promise<ReconcileEnd> {
  const { run } = steps;
  let found: ReconcileEnd | undefined;
  try {
    found = await reconcile(steps, unknown);
    return found;
  } finally {
    run.resolvedUnknowns.push(unknown.since);
    if (found?.kind !== 'task') run.doubt();
  }
}

function adopt(taskId: string): HeldTask {
  return { taskId, usage: NO_USAGE, adopted: true };
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
