import {
  allHandlersFinished,
  CancellationScope,
  ContinueAsNew,
  condition,
  isCancellation,
  upsertMemo,
} from '@temporalio/workflow';
import { isNestedDeeper } from '../../api/nesting.ts';
import { NO_USAGE } from '../../api/usage.ts';
import type { GenerationRequest, GenerationResult } from '../../contract/generation.ts';
import { DEEPEST_REQUEST } from '../../contract/limits.ts';
import { local } from './activities.ts';
import { type AfterTask, afterRejection, afterTask, checkBudget } from './after-attempt.ts';
import { chargedBy } from './charged.ts';
import { type Carried, continueIfLong, type Search, type Stage } from './continue.ts';
import type { RunEnd } from './details.ts';
import { GenerationEnd, toFailure } from './failure.ts';
import { handleMessages } from './handlers.ts';
import { Inbox } from './inbox.ts';
import { Plan } from './plan.ts';
import { reconcile } from './reconcile.ts';
import { GenerationRun, type HeldTask } from './run.ts';
import { goOnStoring, type Outcome, storeResult } from './store.ts';
import { type SubmitEnd, submit } from './submit.ts';
import type { ReconcileEnd, UnknownSubmit } from './unknown-submit.ts';
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
 *
 * @param carried by a run whose history had become long
 */
export async function generation(request: GenerationRequest, carried?: Carried): Promise<GenerationResult> {
  const run = new GenerationRun(request, carried);
  const inbox = new Inbox(carried);
  handleMessages(run, inbox);
  let revision = 1;
  try {
    const plan = carried === undefined ? await checkRequest(run, request) : planOf(run, carried);
    ({ revision } = plan);
    const outcome = await buyAndStore({ run, inbox, plan }, carried?.stage ?? { kind: 'buy' });
    run.end({ kind: 'completed', outputs: outcome.outputs });
    return { ...outcome, charged: run.bill(await chargedBy(run, revision)) };
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => leaveBehind(run, revision));
    run.end(endOf(error));
    if (error instanceof GenerationEnd) throw toFailure(error, run, run.bill(await chargedBy(run, revision)));
    throw error;
  } finally {
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  }
}

function endOf(error: unknown): RunEnd {
  if (isCancellation(error)) return { kind: 'cancelled' };
  const type = error instanceof GenerationEnd ? error.type : 'UNKNOWN';
  return { kind: 'failed', type, message: error instanceof Error ? error.message : String(error) };
}

/** Refuses a bad request before any network call, and lays the policy: defaults, configuration, request. */
async function checkRequest(run: GenerationRun, request: unknown): Promise<Plan> {
  if (isNestedDeeper(request, DEEPEST_REQUEST)) {
    // No payload could hold it: it would not even get to its check.
    throw new GenerationEnd('INVALID_REQUEST', `request is nested deeper than ${DEEPEST_REQUEST} levels`);
  }
  const check = await local.checkGeneration(request ?? null);
  if (check.ok) return new Plan(run.request, check);
  const [first] = check.errors;
  const message = first === undefined ? 'the request is invalid' : `${first.path} ${first.message}`;
  throw new GenerationEnd('INVALID_REQUEST', message, check.errors);
}

function planOf(run: GenerationRun, { check, input }: Carried): Plan {
  return new Plan(run.request, check, input);
}

async function buyAndStore(steps: Steps, from: Stage): Promise<Outcome> {
  const { run, plan } = steps;
  let stage: Stage | Extract<AfterTask, { kind: 'adopt' }> = from;
  for (;;) {
    const task: HeldTask =
      stage.kind === 'wait' || stage.kind === 'store'
        ? stage.task
        : stage.kind === 'adopt'
          ? adopt(stage.taskId)
          : await buy(steps, stage);
    run.hold(task);
    if (stage.kind === 'store') return await goOnStoring(steps, task, stage.storing);
    const deadlineAt: number = stage.kind === 'wait' ? stage.deadlineAt : Date.now() + plan.policy.deadline;
    const end = await waitForRecord(steps, {
      ...(stage.kind === 'wait' ? stage : {}),
      task,
      deadlineAt,
    });
    if (end.kind === 'settled' && end.look.kind === 'completed') {
      return await storeResult(steps, task, end.look.files, end.settledBy);
    }
    stage = await afterTask(steps, task, end);
  }
}

/** Submits until the run holds a task, or throws why it cannot. */
async function buy(steps: Steps, from: Extract<Stage, { kind: 'buy' }>): Promise<HeldTask> {
  let { parkedSince, unknowns = 0, lost } = from;
  const here = (): Extract<Stage, { kind: 'buy' }> => ({
    kind: 'buy',
    unknowns,
    ...(parkedSince === undefined ? {} : { parkedSince }),
  });
  for (;;) {
    const end = lost?.unknown ?? (await submitOnce(steps, here()));
    if (end.kind === 'accepted') return { taskId: end.taskId, usage: end.usage, adopted: end.adopted };
    if (end.kind === 'rejected') {
      parkedSince = await afterRejection(steps, end, parkedSince);
      continue;
    }
    const keep = (search: Search): Promise<void> =>
      continueIfLong(steps, { ...here(), lost: { unknown: end, search } });
    const found = await resolveUnknown(steps, end, keep, lost?.search);
    lost = undefined;
    if (found.kind === 'task') return adopt(found.taskId);
    unknowns += 1;
    if (found.kind === 'fail' || unknowns >= MAX_UNKNOWN_IN_A_ROW) {
      throw new GenerationEnd(
        'SUBMISSION_UNKNOWN',
        `nobody can tell whether a task was bought: ${end.reason}`,
      );
    }
  }
}

async function submitOnce(steps: Steps, here: Stage): Promise<SubmitEnd> {
  await continueIfLong(steps, here);
  checkBudget(steps);
  return await submit(steps);
}

/** Also where a cancellation ends the search, the attempt goes on record: a task may have been bought. */
async function resolveUnknown(
  steps: Steps,
  unknown: UnknownSubmit,
  keep: (search: Search) => Promise<void>,
  from: Search | undefined,
): Promise<ReconcileEnd> {
  const { run } = steps;
  let found: ReconcileEnd | undefined;
  let goesOn = false;
  try {
    found = await reconcile(steps, unknown, keep, from);
    return found;
  } catch (error) {
    goesOn = error instanceof ContinueAsNew;
    throw error;
  } finally {
    if (!goesOn) {
      run.resolvedUnknowns.push(unknown.since);
      if (found?.kind !== 'task') run.doubt(unknown.since);
    }
  }
}

function adopt(taskId: string): HeldTask {
  return { taskId, usage: NO_USAGE, adopted: true };
}

/**
 * A cancelled run: the API has no cancel call, so the task's id and what it cost go on record. A memo, because
 * Temporal keeps no details of a cancellation.
 */
async function leaveBehind(run: GenerationRun, revision: number): Promise<void> {
  if (run.task !== undefined) {
    run.tell(`cancelled; task ${run.task.taskId} goes on at the API, and a Reset adopts it`);
  }
  const charged = run.bill(await chargedBy(run, revision));
  upsertMemo({
    cancelled: { taskId: run.task?.taskId ?? null, usage: run.usage(), charged, attempts: run.attempts },
  });
}
