import {
  allHandlersFinished,
  CancellationScope,
  ContinueAsNew,
  condition,
  isCancellation,
  upsertMemo,
} from '@temporalio/workflow';
import { firstError } from '../../api/input/mistakes.ts';
import { isNestedDeeper } from '../../api/json/nesting.ts';
import { NO_USAGE } from '../../api/records/usage.ts';
import type { GenerationRequest, GenerationResult } from '../../contract/generation.ts';
import { DEEPEST_REQUEST } from '../../contract/limits.ts';
import { doubtOf } from '../../policy/doubtful-policy.ts';
import { local, whyFailed } from './activities.ts';
import { type AfterTask, afterRejection, afterTask, checkBudget } from './after-attempt.ts';
import { chargedBy } from './charged.ts';
import { type Carried, continueIfDue, type Search, type Stage } from './continue.ts';
import type { RunEnd } from './details.ts';
import { Evidence } from './evidence.ts';
import { GenerationEnd, toFailure } from './failure.ts';
import { handleMessages } from './handlers.ts';
import { Inbox } from './inbox.ts';
import { Plan } from './plan.ts';
import { readCarried, readRequest } from './read-arguments.ts';
import { reconcile } from './reconcile.ts';
import { GenerationRun, type HeldTask } from './run.ts';
import { goOnStoring, type Outcome, storeResult } from './store.ts';
import { type SubmitEnd, submit } from './submit.ts';
import { takeWhatCame, unlessFound } from './take-what-came.ts';
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
  /** What it has heard of tasks that may be its own. */
  evidence: Evidence;
}

/**
 * Workflow `generation`: one paid task, charged once, its result stored. Submits, waits for the webhook's signal
 * or the next poll, stores the outputs; what follows a failure is the policy's table. Fails with an
 * ApplicationFailure whose type is the API's code or one of ours.
 *
 * @param handedOn by a run whose history had become long
 */
export async function generation(request: GenerationRequest, handedOn?: Carried): Promise<GenerationResult> {
  const carried = readCarried(handedOn);
  const run = new GenerationRun(readRequest(request), carried);
  const inbox = new Inbox(carried);
  let plan: Plan | undefined;
  handleMessages(run, inbox, () => plan);
  try {
    plan = carried === undefined ? await checkRequest(run, request) : planOf(run, carried);
    run.policyDoubt = doubtOf(plan.policy);
    const outcome = await buyAndStore(
      { run, inbox, plan, evidence: new Evidence({ run, inbox, plan }) },
      carried?.stage ?? { kind: 'buy' },
    );
    run.end({ kind: 'completed', outputs: outcome.outputs });
    if ('charged' in outcome) return { ...outcome, charged: run.bill(outcome.charged) };
    return { ...outcome, charged: run.bill(await chargedBy(run)) };
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => leaveBehind(run));
    run.end(endOf(error));
    if (error instanceof GenerationEnd) throw toFailure(error, run, run.bill(await chargedBy(run)));
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
  const check = await local.checkGeneration(request ?? null).catch((error: unknown) => {
    throw new GenerationEnd('INVALID_REQUEST', `the request cannot be checked: ${whyFailed(error)}`);
  });
  if (check.ok) return new Plan(run.request, check);
  throw new GenerationEnd('INVALID_REQUEST', firstError(check.errors), check.errors);
}

function planOf(run: GenerationRun, { check, input }: Carried): Plan {
  return new Plan(run.request, check, input);
}

/** @returns with what was charged where an earlier run has told it: one that had completed and is deleted */
async function buyAndStore(steps: Steps, from: Stage): Promise<Outcome | GenerationResult> {
  const { run, plan } = steps;
  let stage: Stage | Extract<AfterTask, { kind: 'adopt' }> = from;
  for (;;) {
    const task: HeldTask | GenerationResult =
      stage.kind === 'wait' || stage.kind === 'store'
        ? stage.task
        : stage.kind === 'adopt'
          ? adopt(stage.taskId)
          : await buy(steps, stage);
    if ('status' in task) {
      run.takeOver(task);
      return task;
    }
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

/** Submits until the run holds a task, or throws why it cannot. @returns a result where there was one already */
async function buy(
  steps: Steps,
  from: Extract<Stage, { kind: 'buy' }>,
): Promise<HeldTask | GenerationResult> {
  let { parkedSince, unknowns = 0, lost } = from;
  const here = (): Extract<Stage, { kind: 'buy' }> => ({
    kind: 'buy',
    unknowns,
    ...(parkedSince === undefined ? {} : { parkedSince }),
  });
  for (;;) {
    const end = lost?.unknown ?? (await submitOnce(steps, here()));
    if (end.kind === 'accepted') {
      const { taskId, usage, adopted, outlook } = end;
      return { taskId, usage, adopted, ...(outlook === undefined ? {} : { outlook }) };
    }
    if (end.kind === 'completed') return end.result;
    if (end.kind === 'rejected') {
      parkedSince = await afterRejection(steps, end, parkedSince);
      continue;
    }
    const keep = (search: Search): Promise<void> =>
      continueIfDue(steps, { ...here(), lost: { unknown: end, search } });
    const found = await resolveUnknown(steps, end, keep, lost?.search);
    lost = undefined;
    if (found.kind === 'task') return adopt(found.taskId);
    if (found.kind === 'not sent') continue;
    if (end.givenUp !== true) unknowns += 1;
    if (found.kind === 'fail' || unknowns >= MAX_UNKNOWN_IN_A_ROW) {
      throw new GenerationEnd(
        'SUBMISSION_UNKNOWN',
        `nobody can tell whether a task was bought: ${end.reason}`,
      );
    }
  }
}

async function submitOnce(steps: Steps, here: Stage): Promise<SubmitEnd> {
  await continueIfDue(steps, here);
  const found = await takeWhatCame(steps);
  if (found !== undefined) return found;
  checkBudget(steps);
  return await unlessFound(steps, () => submit(steps));
}

/** Also where a cancellation ends the search, the attempt goes on record: a task may have been bought. */
async function resolveUnknown(
  steps: Steps,
  unknown: UnknownSubmit,
  keep: (search: Search) => Promise<void>,
  from: Search | undefined,
): Promise<ReconcileEnd> {
  const { run, plan } = steps;
  if (unknown.seed !== undefined) plan.lookFor(unknown.seed);
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
      const isOpen = found?.kind !== 'task' && found?.kind !== 'not sent';
      // What an earlier run has given up is an attempt of that one.
      if (isOpen && unknown.givenUp !== true) run.doubt(unknown.since);
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
async function leaveBehind(run: GenerationRun): Promise<void> {
  if (run.task !== undefined) {
    run.tell(`cancelled; task ${run.task.taskId} goes on at the API, and a Reset adopts it`);
  }
  const charged = run.bill(await chargedBy(run));
  upsertMemo({
    cancelled: { taskId: run.task?.taskId ?? null, usage: run.usage(), charged, attempts: run.attempts },
  });
}
