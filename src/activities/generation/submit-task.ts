import { Context, log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { SubmitOutcome } from '../../api/client/submit-outcome.ts';
import { fieldDigests, withTemplate } from '../../api/field-digests.ts';
import { findModel } from '../../api/models/registry.ts';
import { plainUsage } from '../../api/usage.ts';
import { namingTemplate, toWire } from '../../api/wire.ts';
import type { SubmitTaskInput, SubmitTaskResult } from '../../contract/submit-task.ts';
import { layOver } from '../../policy/lay-over.ts';
import { DEFAULT_POLICY, type Policy } from '../../policy/policy.ts';
import type { ActivityDeps } from '../deps.ts';
import type { Submitting } from '../submit-pace/submit-pacing.ts';
import { type EarlierSearch, findEarlierPurchase } from './earlier-purchases.ts';
import {
  heldBack,
  invalidRequest,
  noRoom,
  nothingToAdopt,
  type Refusals,
  rejectionToFailure,
} from './to-failure.ts';

/** What an attempt leaves to the next one, by its last heartbeat. */
interface AttemptMemory {
  refusals: Refusals;
  search: EarlierSearch;
  /** When a POST began whose end no attempt has told, in milliseconds since the epoch. */
  posting?: number;
}

/**
 * One submit: one HTTP POST an attempt, heartbeating while it is in flight, so that a dead worker is noticed. A
 * cancellation does not interrupt the POST: its answer carries the id of a task that costs money.
 *
 * Whatever goes wrong after a POST has begun, but a rejection, leaves a mark in the heartbeats from then on: Temporal may
 * try again, and the next attempt tells that the outcome is unknown instead of buying once more. (No heartbeat of its
 * own: that would cost every submit an action. What is handed on is bounded, so that it can be.)
 *
 * @throws ApplicationFailure for a rejection; retryable only where the policy retries it in place
 */
export async function submitTask(deps: ActivityDeps, request: SubmitTaskInput): Promise<SubmitTaskResult> {
  const context = Context.current();
  const { workflowExecution, activityId, scheduledTimestampMs, heartbeatDetails } = context.info;
  const memory: AttemptMemory = {
    refusals: {},
    search: {},
    ...(heartbeatDetails as AttemptMemory | undefined), // what an earlier attempt sent
  };
  const beat = setInterval(() => context.heartbeat(memory), Math.max(50, request.submit.heartbeat / 4));
  try {
    const model = findModel(request.model);
    const access = deps.workspaces.get(request.workspace);
    if (model === undefined || access === undefined) {
      throw invalidRequest([
        model === undefined
          ? { path: 'model', message: `${request.model} is not known to this worker` }
          : { path: 'workspace', message: `${request.workspace} is not configured on this worker` },
      ]);
    }
    if (memory.posting !== undefined) {
      const reason = 'an attempt at this submit ended without telling how its request did';
      return { kind: 'unknown', reason, since: memory.posting };
    }
    const { workflowId = '', runId = '' } = workflowExecution ?? {};
    const earlier = await findEarlierPurchase(deps, request, access, memory.search);
    if (earlier !== undefined) {
      if (earlier.kind === 'accepted')
        deps.routes.register({ workspace: request.workspace, taskId: earlier.taskId }, workflowId);
      return earlier;
    }
    if (request.adoptOnly !== undefined) throw nothingToAdopt(request.adoptOnly);
    const retries = rows(request.retries);
    const pace = retries.RATE_LIMITED;
    const turn = await deps.pacing.turn(request.workspace, pace, context.cancelled);
    if (turn.kind === 'full') throw noRoom(request.workspace, turn.delay);
    if (turn.kind === 'hold') {
      const hasWaited = Math.min(turn.stalledFor, Date.now() - scheduledTimestampMs) > pace.window;
      throw heldBack(request.workspace, model.family, hasWaited ? undefined : turn.delay);
    }
    const before = deps.balances.latest(request.workspace);
    const { templateId } = request;
    const override = deps.models[request.model];
    const wire = toWire(model, request.input, override);
    const since = Date.now();
    memory.posting = since;
    const outcome = await submitInTurn(turn.took, retries, () =>
      deps.api.submit({
        ...namingTemplate(wire, templateId, override),
        apiKey: access.apiKey,
        timeout: request.submit.timeout,
        workflowId,
      }),
    );
    if (outcome.kind === 'accepted') {
      const taskId = outcome.task.id;
      const { workspace } = request;
      deps.routes.register({ workspace, taskId }, workflowId);
      const fields = withTemplate(fieldDigests(wire.body), templateId);
      deps.audit.add({ taskId, workspace, workflowId, runId, activityId, fields, at: Date.now() });
      deps.normalized.note(request.model, wire.body, outcome.task.input);
      return {
        kind: 'accepted',
        taskId,
        usage: plainUsage(outcome.task.usage),
        adopted: false,
      };
    }
    if (outcome.kind === 'unknown') {
      const after = await deps.balances.now(request.workspace);
      const balance = {
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      };
      return { kind: 'unknown', reason: outcome.reason, since, balance };
    }
    delete memory.posting;
    const available =
      outcome.row !== undefined && retries[outcome.row].onSubmit === 'park'
        ? (await deps.balances.now(request.workspace))?.available
        : undefined;
    throw rejectionToFailure(outcome, model.family, retries, memory.refusals, Date.now() - since, available);
  } catch (error) {
    // The last heartbeat comes with the failure: the next attempt finds it.
    context.heartbeat(memory);
    if (
      error instanceof ApplicationFailure &&
      error.nextRetryDelay !== undefined &&
      error.nextRetryDelay !== null
    )
      log.info(`submit tried again (${error.type}): ${error.message}`, { model: request.model });
    throw error;
  } finally {
    clearInterval(beat);
  }
}

/** The policy's table: of a submit that release 0.1 has scheduled it says no actions. */
function rows(retries: Policy['retries']): Policy['retries'] {
  return layOver(DEFAULT_POLICY.retries, retries) as Policy['retries']; // of the same shape
}

async function submitInTurn(
  took: Submitting,
  retries: Policy['retries'],
  post: () => Promise<SubmitOutcome>,
): Promise<SubmitOutcome> {
  try {
    const outcome = await post();
    if (outcome.kind === 'accepted') took.accepted();
    if (outcome.kind === 'unknown') took.unanswered();
    if (outcome.kind === 'rejected' && outcome.row !== undefined && retries[outcome.row].slowsWorkspace)
      took.refused(outcome.retryAfter);
    return outcome;
  } finally {
    took.end();
  }
}
