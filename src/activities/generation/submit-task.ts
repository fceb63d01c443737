import { Context, log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { FormBody } from '../../api/client/form-body.ts';
import type { SubmitOutcome } from '../../api/client/submit-outcome.ts';
import { fieldDigests, withTemplate } from '../../api/input/field-digests.ts';
import { given } from '../../api/json/given.ts';
import { plainUsage } from '../../api/records/usage.ts';
import { namingTemplate, toWire } from '../../api/wire.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { SubmitTaskInput, SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import { readyInspection } from '../../outputs/inspection/inspector.ts';
import type { Reservation } from '../account/reservation.ts';
import type { ActivityDeps } from '../deps.ts';
import { boughtBefore, type LookMemory } from './bought-before.ts';
import { accessTo, checkSubmit, type Noted, scheduledTimes, tellingNoted } from './check-submit.ts';
import { type ReservationMemory, reservationOf, reserve } from './reserve-credits.ts';
import { bodyWithFiles } from './send-files.ts';
import { Fence } from './still-wanted.ts';
import { submitInTurn, tellTrouble } from './submit-in-turn.ts';
import { type HoldUp, showHoldUp } from './submit-notice.ts';
import {
  heldBack,
  NOT_CONFIGURED,
  noRoom,
  nothingToAdopt,
  type Refusals,
  rejectionToFailure,
} from './to-failure.ts';

/** After so many refusals in a row because the API is away its run shows it: about half a minute by the default policy. */
const SHOWN_FROM = 4;

/** What an attempt leaves to the next one, by its last heartbeat. */
interface AttemptMemory extends ReservationMemory, LookMemory {
  refusals: Refusals;
  /** When a POST began whose end no attempt has told, in milliseconds since the epoch by Temporal's clock. */
  posting?: number;
  /** How far the API's clock was ahead of that one, in milliseconds. */
  clockOffset?: number;
}

/**
 * One submit: the check of the request, where its run does not know it yet, and one HTTP POST an attempt, heartbeating while
 * it is in flight, so that a dead worker is noticed. A cancellation does not interrupt the POST: its answer carries the id
 * of a task that costs money.
 *
 * Whatever goes wrong after a POST has begun, but a rejection, ends as an unknown outcome: an attempt that fails has bought
 * nothing. One that is lost leaves a mark in its heartbeats, by which another one tells that instead of buying once more.
 * (No heartbeat of its own: that would cost every submit an action. What is handed on is bounded, so that it can be.)
 *
 * @throws ApplicationFailure for a rejection; retryable only where the policy retries it in place
 */
export async function submitTask(deps: ActivityDeps, input: SubmitTaskInput): Promise<SubmitTaskResult> {
  return await tellingNoted(input, (note) => submitOnce(deps, input, note));
}

/** @param note told what its workflow is to know, however it ends */
async function submitOnce(
  deps: ActivityDeps,
  input: SubmitTaskInput,
  note: (news: Noted) => void,
): Promise<SubmitTaskResult> {
  const context = Context.current();
  const { heartbeat } = scheduledTimes(input);
  const fence = new Fence(deps, heartbeat);
  const { workflowExecution, activityId, scheduledTimestampMs, heartbeatDetails } = context.info;
  deps.temporalClock.note(context.info.currentAttemptScheduledTimestampMs, Date.now());
  const memory: AttemptMemory = {
    refusals: {},
    search: {},
    ...(heartbeatDetails as AttemptMemory | undefined), // what an earlier attempt sent
  };
  let reservation: Reservation | undefined;
  // Each is billed: an answer that comes by then needs none.
  const beat = setInterval(() => context.heartbeat(memory), Math.max(50, heartbeat / 2));
  try {
    // Whatever a check would say now: something was sent.
    if (memory.posting !== undefined)
      return untold(
        memory.posting,
        memory,
        'an attempt at this submit ended without telling how its request did',
      );
    const request = await checkSubmit(deps, input);
    const { plan, definition: model, refused, adoptOnly } = request;
    if (refused === undefined) note({ plan });
    if (request.isToReschedule) return { kind: 'checked' };
    const { workflowId = '', runId = '' } = workflowExecution ?? {};
    const earlier = await boughtBefore(deps, request, memory);
    if (earlier !== undefined) {
      note({ plan });
      if (earlier.kind === 'accepted') {
        deps.routes.register({ workspace: request.workspace, taskId: earlier.taskId }, workflowId);
      }
      return earlier;
    }
    if (refused !== undefined) throw refused;
    if (adoptOnly !== undefined) throw nothingToAdopt(adoptOnly);
    const { retries } = plan.policy;
    const pace = retries.RATE_LIMITED;
    const turn = await deps.pacing.turn(request.workspace, pace, context.cancelled);
    if (turn.kind === 'full') throw noRoom(request.workspace, turn.delay);
    if (turn.kind === 'hold') {
      const hasWaited = Math.min(turn.stalledFor, Date.now() - scheduledTimestampMs) > pace.window;
      throw heldBack(request.workspace, model.family, hasWaited ? undefined : turn.delay);
    }
    reservation = reservationOf(deps, request);
    const before = deps.balances.latest(request.workspace);
    const { templateId } = request;
    const override = deps.models[request.model];
    const wire = toWire(model, request.input, override);
    let since = Date.now();
    let form: FormBody | undefined;
    let priced: Awaited<ReturnType<typeof reserve>>;
    const outcome = await submitInTurn(turn.took, retries, async () => {
      const more = namingTemplate({ ...wire, body: {} }, templateId, override).body;
      const body = await bodyWithFiles(deps, model, request.input, more);
      form = body instanceof FormBody ? body : undefined;
      priced = await reserve(deps, request, reservation, memory);
      await fence.ensureWanted();
      since = Date.now();
      memory.posting = byTemporalsClock(deps, since);
      Object.assign(memory, apiClockOf(deps));
      const ended = deps.routes.submitting(request.workspace);
      const post = (): Promise<SubmitOutcome> =>
        deps.api.submit({
          path: wire.path,
          body,
          ...accessTo(deps, request.workspace),
          timeout: plan.policy.submit.timeout,
          workflowId,
        });
      const attributes = { 'darkroom.model': request.model, 'darkroom.workspace': request.workspace };
      const span = { name: `POST ${wire.path}`, attributes };
      return await deps.traced(span, post, spanOf).finally(ended);
    });
    deps.metrics.submitted(outcome, Math.max(0, since - scheduledTimestampMs));
    tellTrouble(deps, request.workspace, outcome, workflowId);
    if (outcome.kind === 'accepted') {
      const taskId = outcome.task.id;
      const { workspace } = request;
      deps.routes.register({ workspace, taskId }, workflowId);
      deps.recordsClock.submitted({ workspace, taskId }, since + (deps.api.clock.offset ?? 0));
      deps.refused.accepted(workspace);
      readyInspection(); // its files may come soon
      const credits = outcome.task.usage.total;
      const { facts } = priced ?? deps.prices.of(request);
      reservation?.accept(taskId, credits, facts);
      deps.prices.charged({ taskId, model: request.model, credits, facts });
      const fields = withTemplate(fieldDigests(wire.body), templateId);
      const at = Date.now();
      deps.audit.add({ taskId, workspace, workflowId, runId, activityId, fields, credits, at });
      deps.normalized.note(request.model, wire.body, outcome.task.input);
      return {
        kind: 'accepted',
        taskId,
        usage: plainUsage(outcome.task.usage),
        adopted: false,
        outlook: deps.outlooks.of(request),
      };
    }
    if (outcome.kind === 'unknown' && form?.failure !== undefined) {
      delete memory.posting;
      await showHoldUp(deps.temporal, memory, undefined);
      throw form.failure;
    }
    if (outcome.kind === 'unknown') {
      await reservation?.doubt();
      const balance = { before, after: await deps.balances.now(request.workspace) };
      const told = { since: byTemporalsClock(deps, since), ...apiClockOf(deps) };
      return { kind: 'unknown', reason: outcome.reason, ...told, balance };
    }
    delete memory.posting;
    const isToPark = outcome.row !== undefined && retries[outcome.row].onSubmit === 'park';
    if (isToPark) deps.refused.refused(request.workspace);
    const available = isToPark ? (await deps.balances.now(request.workspace))?.available : undefined;
    const { refusals } = memory;
    const failure = rejectionToFailure(
      outcome,
      model.family,
      retries,
      refusals,
      Date.now() - since,
      available,
    );
    if (failure.nonRetryable !== true) await showHoldUp(deps.temporal, memory, awayOf(outcome, refusals));
    throw failure;
  } catch (error) {
    // Not tried again where it is cancelled: then its run would take it for one that has bought nothing.
    if (memory.posting !== undefined) {
      await reservation?.doubt();
      return untold(
        memory.posting,
        memory,
        `the request was sent, and its end was not understood: ${String(error)}`,
      );
    }
    if (error instanceof ApplicationFailure && error.type === NOT_CONFIGURED)
      await showHoldUp(deps.temporal, memory, { by: 'worker', reason: error.message });
    // The last heartbeat comes with the failure: the next attempt finds it.
    context.heartbeat(memory);
    await reservation?.release();
    await fence.tellNotSent();
    if (error instanceof ApplicationFailure && error.nextRetryDelay != null)
      log.info(`submit tried again (${error.type}): ${error.message}`, {
        model: (input.request as GenerationRequest).model, // whose check was passed
      });
    throw error;
  } finally {
    note(memory);
    clearInterval(beat);
  }
}

/** What an attempt has come to whose request was sent: nobody has seen how that ended. */
function untold(since: number, { clockOffset }: AttemptMemory, reason: string): SubmitTaskResult {
  return { kind: 'unknown', reason, since, ...given({ clockOffset }), inFlight: true };
}

/** Undefined where the API has refused the submit for another reason, or has not been away for long. */
function awayOf(
  { row, message }: Extract<SubmitOutcome, { kind: 'rejected' }>,
  refusals: Refusals,
): HoldUp | undefined {
  const isAway = row === 'PROVIDER_UNAVAILABLE' && (refusals[row]?.count ?? 0) >= SHOWN_FROM;
  return isAway ? { by: 'api', reason: message } : undefined;
}

type Clocks = Pick<ActivityDeps, 'api' | 'temporalClock'>;

/** A time of this process as all others are told of it: their clocks, and this one, may be wrong. */
function byTemporalsClock({ temporalClock }: Clocks, time: number): number {
  return time + (temporalClock.offset ?? 0);
}

/** How far the API's clock is ahead of Temporal's, in milliseconds. */
function apiClockOf({ api, temporalClock }: Clocks): { clockOffset?: number } {
  const { offset } = api.clock;
  return offset === undefined ? {} : { clockOffset: offset - (temporalClock.offset ?? 0) };
}

/** What a POST's span tells of its end. */
function spanOf(outcome: SubmitOutcome): ReturnType<Parameters<ActivityDeps['traced']>[2]> {
  const task = outcome.kind === 'accepted' ? { 'darkroom.task_id': outcome.task.id } : {};
  return {
    attributes: { 'darkroom.outcome': outcome.kind, ...task },
    failed: outcome.kind !== 'accepted',
  };
}
